"""What Phylon's processes say to each other and to a client, defined once.

base.py         what every read model is built from, numbers that JSON cannot write, pages of a list
vocabulary.py   statuses, phases, names of metrics: also constants of the TypeScript client
problems.py     the body of every answer that is not a success
events.py       what a trainer reports; stream.py what a reader of the live stream receives
protocol.py     what a worker and the service exchange
others          the read models, a module per noun

The service returns these classes, the Python client parses into them, the OpenAPI document is made from them, and the
TypeScript client from that document.
"""
