"""Every primitive operation, one declaration each."""
