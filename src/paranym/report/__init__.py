"""What people read: plots of what was found."""
