"""What is worth doing many times, by hand, before a release?"""
