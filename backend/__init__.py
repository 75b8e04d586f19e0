"""The Phylon service: experiments, runs and their history over REST, with the database as the truth."""
