// One half of a stream of QoS 2 messages, with Eclipse Paho's Go client and a session that is kept:
// publishes the numbers from 0, or prints those that come. Runs until it is ended.
package main

import (
	"flag"
	"fmt"
	"time"

	mqtt "github.com/eclipse/paho.mqtt.golang"
)

const qos = 2

func main() {
	port := flag.Int("port", 1883, "of the broker, on this machine")
	protocol := flag.String("protocol", "311", "31 or 311")
	role := flag.String("role", "sub", "pub or sub")
	count := flag.Int("count", 0, "messages to publish")
	flag.Parse()
	versions := map[string]uint{"31": 3, "311": 4}
	options := mqtt.NewClientOptions().
		AddBroker(fmt.Sprintf("tcp://127.0.0.1:%d", *port)).
		SetClientID("stream-" + *role).
		SetProtocolVersion(versions[*protocol]).
		SetCleanSession(false).
		SetMaxReconnectInterval(time.Second).
		SetDefaultPublishHandler(func(_ mqtt.Client, m mqtt.Message) { fmt.Printf("got %s\n", m.Payload()) })
	client := mqtt.NewClient(options)
	must(client.Connect())
	if *role == "sub" {
		must(client.Subscribe("stream", qos, nil))
		fmt.Println("ready")
	} else {
		tokens := []mqtt.Token{}
		for i := 0; i < *count; i++ {
			tokens = append(tokens, client.Publish("stream", qos, false, fmt.Sprint(i)))
			time.Sleep(time.Millisecond)
		}
		for _, token := range tokens {
			must(token)
		}
		fmt.Println("published")
	}
	select {}
}

func must(token mqtt.Token) {
	if token.Wait() && token.Error() != nil {
		panic(token.Error())
	}
}
