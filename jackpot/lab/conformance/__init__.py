"""Does a device, or a server, of another maker keep the floor protocol?"""
