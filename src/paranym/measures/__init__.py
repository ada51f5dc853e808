"""What a recoding is worth: privacy and loss, as pure functions over tallies of classes."""
