"""Policies that runs leave."""
