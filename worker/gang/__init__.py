"""Several processes train one population: each has a block of its members. What they say to each other goes through a
`Gang`; a process that is alone is a gang of one, to which nothing is said.

`meeting` is used before JAX is loaded, so nothing is imported here.
"""
