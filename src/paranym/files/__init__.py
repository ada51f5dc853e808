"""Files: read completely or refused with the reason, written completely or not at all."""
