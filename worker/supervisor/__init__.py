"""The Celery worker: takes runs, starts their trainers, relays what they say. Never imports JAX."""
