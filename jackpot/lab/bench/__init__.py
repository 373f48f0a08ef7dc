"""How fast is the server, compared with other designs and with this machine's own limits, in one run?"""
