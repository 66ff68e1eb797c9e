"""What runs can be asked to do, one file each: how it is checked, how several are done together, what is answered."""
