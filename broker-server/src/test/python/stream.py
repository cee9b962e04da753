"""One half of a stream of QoS 2 messages, with Paho's Python client and a session that is kept:
publishes the numbers from 0, or prints those that come. Runs until it is ended."""

import argparse
import threading
import time

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes

QOS = 2
VERSIONS = {"31": mqtt.MQTTv31, "311": mqtt.MQTTv311, "5": mqtt.MQTTv5}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, required=True)
    arguments.add_argument("--protocol", choices=VERSIONS, required=True)
    arguments.add_argument("--role", choices=["pub", "sub"], required=True)
    arguments.add_argument("--count", type=int, default=0)
    options = arguments.parse_args()

    version = VERSIONS[options.protocol]
    kept = {"clean_session": False} if version != mqtt.MQTTv5 else {}
    client = mqtt.Client(
        mqtt.CallbackAPIVersion.VERSION2,
        client_id="stream-" + options.role,
        protocol=version,
        **kept,
    )
    client.max_queued_messages_set(0)
    client.reconnect_delay_set(1, 1)
    published = Countdown(options.count)

    def on_connect(client, userdata, flags, reason, properties):
        if options.role == "sub":
            client.subscribe("stream", QOS)

    def on_subscribe(client, userdata, mid, reasons, properties):
        print("ready", flush=True)

    def on_message(client, userdata, message):
        print("got", message.payload.decode(), flush=True)

    def on_publish(client, userdata, mid, reason, properties):
        published.count_down()

    client.on_connect = on_connect
    client.on_subscribe = on_subscribe
    client.on_message = on_message
    client.on_publish = on_publish
    connect(client, version, options.port)
    client.loop_start()
    if options.role == "pub":
        for number in range(options.count):
            client.publish("stream", str(number), QOS)
            time.sleep(0.001)
        published.wait()
        print("published", flush=True)
    threading.Event().wait()


def connect(client, version, port):
    arguments = {}
    if version == mqtt.MQTTv5:
        expiry = mqtt.Properties(PacketTypes.CONNECT)
        expiry.SessionExpiryInterval = 3600
        arguments = {"clean_start": False, "properties": expiry}
    client.connect("127.0.0.1", port, 30, **arguments)


class Countdown:
    def __init__(self, count):
        self.left = count
        self.changed = threading.Condition()

    def count_down(self):
        with self.changed:
            self.left -= 1
            self.changed.notify_all()

    def wait(self):
        with self.changed:
            self.changed.wait_for(lambda: self.left <= 0)


main()
