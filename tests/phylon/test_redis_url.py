"""Both spellings of a Redis address reach the same database of a real server."""

from pathlib import Path

import kombu
import pytest
import redis

from phylon.redis_url import RedisURLInvalid, broker_url, client_url, socket_url


@pytest.mark.parametrize("spelling", ["unix://{path}?db=3", "redis+socket://{path}?virtual_host=3"])
def test_client_and_broker_meet_on_a_socket(redis_socket: Path, spelling: str):
    url = spelling.format(path=redis_socket)
    with redis.from_url(client_url(url)) as client, kombu.Connection(broker_url(url)) as broker:
        client.flushdb()
        queue = broker.SimpleQueue("greetings")
        queue.put({"hello": "there"})
        assert client.llen("greetings") == 1, "the broker wrote to another database"
        assert queue.get(timeout=5).payload == {"hello": "there"}
        queue.close()


def test_socket_url_is_what_both_read(redis_socket: Path):
    url = socket_url(str(redis_socket))
    with redis.from_url(client_url(url)) as client:
        assert client.ping()
    with kombu.Connection(broker_url(url)) as broker:
        assert broker.ensure_connection(max_retries=1)


@pytest.mark.parametrize("url", ["redis://127.0.0.1:6379/0", "rediss://user:secret@example.org:6380/2"])
def test_tcp_is_the_same_for_both(url: str):
    assert client_url(url) == broker_url(url) == url


def test_credentials_and_options_survive():
    assert broker_url("unix://user:pw@/run/redis.sock?db=1") == "redis+socket://user:pw@/run/redis.sock?virtual_host=1"
    assert client_url("redis+socket:///run/redis.sock") == "unix:///run/redis.sock"


@pytest.mark.parametrize(
    "url", ["", "localhost:6379", "amqp://host", "redis://", "unix://", "unix://host/path", "unix:relative"]
)
def test_nonsense_names_the_value_and_the_remedy(url: str):
    with pytest.raises(RedisURLInvalid, match="use redis://HOST:PORT"):
        broker_url(url)
