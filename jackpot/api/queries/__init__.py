"""What may be asked of a running server? A file has a subject; `registry` lists what all of them offer."""
