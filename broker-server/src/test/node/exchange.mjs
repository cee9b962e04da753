// MQTT.js against a running broker: one line per case, "PASS name" or "FAIL name: why".
//
//   node exchange.mjs --port 8883 --protocol 5 --transport tls [--host 127.0.0.1] [--ca ca.pem]
//
// The exit code is the number of cases that failed.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import mqtt from "mqtt";

const SOON_MS = 15_000;
const SCHEMES = { tcp: "mqtt", tls: "mqtts", ws: "ws", wss: "wss" };
const VERSIONS = { 31: 3, 311: 4, 5: 5 };

const { values: where } = parseArgs({
  options: {
    host: { type: "string", default: "127.0.0.1" },
    port: { type: "string" },
    protocol: { type: "string", default: "5" },
    transport: { type: "string", default: "tcp" },
    ca: { type: "string" },
  },
});

/** One connection; every call waits for the broker's answer. */
class Client {
  #mqtt;
  #messages = [];
  #waiting = [];

  static async connect(clientId, { clean = true, will } = {}) {
    const client = new Client();
    const path = where.transport.startsWith("ws") ? "/mqtt" : "";
    client.#mqtt = mqtt.connect(
      `${SCHEMES[where.transport]}://${where.host}:${where.port}${path}`,
      {
        clientId,
        clean,
        will,
        protocolVersion: VERSIONS[where.protocol],
        protocolId: where.protocol === "31" ? "MQIsdp" : "MQTT",
        reconnectPeriod: 0,
        connectTimeout: SOON_MS,
        ca: where.ca === undefined ? undefined : readFileSync(where.ca),
        properties:
          where.protocol === "5" ? { sessionExpiryInterval: clean ? 0 : 600 } : undefined,
      },
    );
    // Before the CONNACK: a session's messages may come in the same read.
    client.#mqtt.on("message", (topic, payload, packet) => {
      const message = { topic, payload, qos: packet.qos, retain: packet.retain };
      const taker = client.#waiting.shift();
      taker === undefined ? client.#messages.push(message) : taker(message);
    });
    const [connack] = await once(client.#mqtt, "connect");
    client.#mqtt.on("error", () => {}); // cutting a TLS connection is one
    client.sessionPresent = connack.sessionPresent;
    return client;
  }

  async subscribe(filter, qos) {
    const [granted] = await this.#mqtt.subscribeAsync(filter, { qos });
    assert.equal(granted.qos, qos);
  }

  publish(topic, payload, qos = 1, retain = false) {
    return this.#mqtt.publishAsync(topic, payload, { qos, retain });
  }

  receive() {
    if (this.#messages.length > 0) return Promise.resolve(this.#messages.shift());
    return new Promise((taken) => this.#waiting.push(taken));
  }

  async receiveAll(count) {
    const all = [];
    while (all.length < count) all.push(await this.receive());
    return all;
  }

  disconnect() {
    return this.#mqtt.endAsync();
  }

  /** Breaks the connection without DISCONNECT. */
  cut() {
    this.#mqtt.stream.destroy();
  }
}

const text = (message) => message.payload.toString();

const cases = {
  async wildcards(topics) {
    const reader = await Client.connect(topics + "reader");
    await reader.subscribe(`${topics}/+/temperature`, 1);
    await reader.subscribe(`${topics}/house/#`, 1);
    const writer = await Client.connect(topics + "writer");
    const sent = ["kitchen/temperature", "kitchen/humidity", "house", "a/b/temperature", "house/x"];
    for (const each of sent) await writer.publish(`${topics}/${each}`, each);
    assert.deepEqual((await reader.receiveAll(3)).map(text), [
      "kitchen/temperature",
      "house",
      "house/x",
    ]);
    await reader.disconnect();
    await writer.disconnect();
  },

  async every_qos(topics) {
    const reader = await Client.connect(topics + "reader");
    const writer = await Client.connect(topics + "writer");
    const expected = [];
    for (const granted of [0, 1, 2]) await reader.subscribe(`${topics}/${granted}`, granted);
    for (const granted of [0, 1, 2]) {
      for (const sent of [0, 1, 2]) {
        await writer.publish(`${topics}/${granted}`, `sent${sent}`, sent);
        expected.push(`${topics}/${granted} sent${sent} ${Math.min(granted, sent)}`);
      }
    }
    const received = (await reader.receiveAll(9)).map((m) => `${m.topic} ${text(m)} ${m.qos}`);
    assert.deepEqual(received.sort(), expected.sort());
    await reader.disconnect();
    await writer.disconnect();
  },

  async retained(topics) {
    const writer = await Client.connect(topics + "writer");
    await writer.publish(`${topics}/kept`, "kept", 1, true);
    const first = await Client.connect(topics + "first");
    await first.subscribe(`${topics}/+`, 1);
    const kept = await first.receive();
    assert.deepEqual([text(kept), kept.qos, kept.retain], ["kept", 1, true]);
    await writer.publish(`${topics}/kept`, "", 1, true);
    const second = await Client.connect(topics + "second");
    await second.subscribe(`${topics}/+`, 1);
    await writer.publish(`${topics}/after`, "after");
    const after = await second.receive();
    assert.deepEqual([text(after), after.retain], ["after", false]);
    for (const client of [writer, first, second]) await client.disconnect();
  },

  async will(topics) {
    const watcher = await Client.connect(topics + "watcher");
    await watcher.subscribe(`${topics}/will`, 1);
    const will = (payload) => ({ topic: `${topics}/will`, payload: Buffer.from(payload), qos: 1 });
    const polite = await Client.connect(topics + "polite", { will: will("no") });
    await polite.disconnect();
    const broken = await Client.connect(topics + "broken", { will: will("yes") });
    broken.cut();
    assert.equal(text(await watcher.receive()), "yes");
    await watcher.disconnect();
  },

  async shared(topics) {
    const members = [await Client.connect(topics + "left"), await Client.connect(topics + "right")];
    for (const member of members) await member.subscribe(`$share/group/${topics}/work`, 1);
    const writer = await Client.connect(topics + "writer");
    const sent = Array.from({ length: 20 }, (_, i) => `job${i}`);
    for (const job of sent) await writer.publish(`${topics}/work`, job);
    const received = await Promise.all(members.map((member) => member.receiveAll(10)));
    assert.deepEqual(received.flat().map(text).sort(), sent.sort());
    for (const client of [...members, writer]) await client.disconnect();
  },

  async large_payload(topics) {
    const payload = randomBytes(10 * 1024 * 1024);
    const reader = await Client.connect(topics + "reader");
    await reader.subscribe(`${topics}/large`, 1);
    const writer = await Client.connect(topics + "writer");
    await writer.publish(`${topics}/large`, payload);
    const received = await reader.receive();
    assert.ok(payload.equals(received.payload), `${received.payload.length} other bytes`);
    await reader.disconnect();
    await writer.disconnect();
  },

  async session(topics) {
    const before = await Client.connect(topics + "sleeper", { clean: false });
    assert.ok(!before.sessionPresent, "a session before the first connect");
    await before.subscribe(`${topics}/one`, 1);
    await before.subscribe(`${topics}/two`, 2);
    before.cut();
    const writer = await Client.connect(topics + "writer");
    const sent = ["m0", "m1", "m2", "m3"];
    for (const each of sent) {
      await writer.publish(`${topics}/one`, each, 1);
      await writer.publish(`${topics}/two`, each, 2);
    }
    await writer.disconnect();
    const after = await Client.connect(topics + "sleeper", { clean: false });
    // The CONNACK of 3.1 can't say so.
    if (where.protocol !== "31") assert.ok(after.sessionPresent, "no session present");
    const received = await after.receiveAll(8);
    for (const qos of [1, 2]) {
      assert.deepEqual(received.filter((m) => m.qos === qos).map(text), sent);
    }
    await after.disconnect();
    await (await Client.connect(topics + "sleeper")).disconnect();
  },
};

let failed = 0;
for (const [name, run] of Object.entries(cases)) {
  const late = new Promise((_, reject) =>
    setTimeout(() => reject(new Error(`not done in ${SOON_MS} ms`)), SOON_MS).unref(),
  );
  try {
    await Promise.race([run(`js${process.hrtime.bigint().toString(16)}`), late]);
    console.log(`PASS ${name}`);
  } catch (e) {
    failed++;
    console.log(`FAIL ${name}: ${e.message}`);
  }
}
process.exit(failed);
