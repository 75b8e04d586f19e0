"""An algorithm, a population method and an environment suite for Phylon: what a plug-in package looks like."""
