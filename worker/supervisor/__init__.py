"""The Celery worker: takes jobs, starts their processes, relays what they say. Never imports JAX."""
