"""What Phylon's processes say to each other and to a client: events, the worker protocol, read models, vocabularies."""
