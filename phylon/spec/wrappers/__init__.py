"""Wrappers: what they are called, what can be said about each, and how they change an environment's spaces."""
