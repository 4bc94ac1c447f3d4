package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

func main() {
	rows := json.NewDecoder(os.Stdin)
	for {
		var row struct {
			Secret, Body string
			Headers      map[string]string
		}
		if err := rows.Decode(&row); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			panic(err)
		}
		headers := http.Header{}
		for name, value := range row.Headers {
			headers.Set(name, value)
		}
		webhook, err := standardwebhooks.NewWebhook(row.Secret)
		if err != nil {
			panic(err)
		}
		if webhook.Verify([]byte(row.Body), headers) == nil {
			fmt.Println("accept")
		} else {
			fmt.Println("refuse")
		}
	}
}
