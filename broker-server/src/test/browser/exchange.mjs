// MQTT.js in a web page against a running broker. The address of the page says what it tries:
//
//   /page.html?broker=wss://127.0.0.1:8884/mqtt[&refused]
//
// Reports one line per case to the server that it came from, "PASS name" or "FAIL name: why", and "END" at last.
import mqtt from "./mqtt.mjs";

const SOON_MS = 20_000;
const NOT_AUTHORIZED = 0x87;
const BAD_USER_NAME_OR_PASSWORD = 0x86;
const where = new URLSearchParams(location.search);

function check(condition, what) {
  if (!condition) throw new Error(what);
}

/** Resolves with the connected client, rejects with what went wrong. */
function connect(password) {
  const client = mqtt.connect(where.get("broker"), {
    username: "ann",
    password,
    protocolVersion: 5,
    reconnectPeriod: 0,
    connectTimeout: SOON_MS,
  });
  return new Promise((resolve, reject) => {
    client.on("connect", () => resolve(client));
    client.on("error", reject);
    client.on("close", () => reject(new Error("closed before CONNACK")));
  });
}

async function reasonOf(failing) {
  try {
    await failing;
  } catch (failure) {
    return failure.code;
  }
  return "nothing was refused";
}

/** Resolves with the next messages of a client, as topic, QoS and length. */
function receive(client, count) {
  const messages = [];
  return new Promise((resolve) => {
    client.on("message", (topic, payload, packet) => {
      messages.push(`${topic} ${packet.qos} ${payload.length}`);
      if (messages.length === count) resolve(messages.join());
    });
  });
}

let client;

const EXCHANGE = {
  async wrong_password() {
    const reason = await reasonOf(connect("wrong"));
    check(reason === BAD_USER_NAME_OR_PASSWORD, `CONNACK ${reason}`);
  },
  async connect() {
    client = await connect("right");
  },
  async every_qos() {
    const received = receive(client, 4);
    await client.subscribeAsync("room/#", { qos: 2 });
    await client.publishAsync("room/0", "a", { qos: 0 });
    await client.publishAsync("room/1", "ab", { qos: 1 });
    await client.publishAsync("room/2", "abc", { qos: 2 });
    await client.publishAsync("room/large", "x".repeat(300_000), { qos: 1 });
    const messages = await received;
    check(messages === "room/0 0 1,room/1 1 2,room/2 2 3,room/large 1 300000", messages);
  },
  async refused_filter() {
    const granted = await new Promise((answered) =>
      client.subscribe("secret/#", { qos: 1 }, (failure, _, packet) => answered(packet.granted)),
    );
    check(`${granted}` === `${NOT_AUTHORIZED}`, `SUBACK ${granted}`);
  },
  async refused_publish() {
    for (const qos of [1, 2]) {
      const reason = await reasonOf(client.publishAsync("secret/a", "x", { qos }));
      check(reason === NOT_AUTHORIZED, `QoS ${qos}: ${reason}`);
    }
  },
  async disconnect() {
    await client.endAsync();
  },
};

const REFUSED = {
  async no_connection() {
    const reason = await reasonOf(connect("right"));
    check(reason === undefined, `answered with ${reason}`);
  },
};

function report(line) {
  return fetch("/report", { method: "POST", body: line });
}

for (const [name, run] of Object.entries(where.has("refused") ? REFUSED : EXCHANGE)) {
  try {
    const late = new Promise((_, fail) => setTimeout(fail, SOON_MS, new Error("no answer in time")));
    await Promise.race([run(), late]);
    await report(`PASS ${name}`);
  } catch (failure) {
    await report(`FAIL ${name}: ${failure.message}`);
  }
}
await report("END");
