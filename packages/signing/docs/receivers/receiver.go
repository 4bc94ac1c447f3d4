package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"example/chairside"
)

func receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil {
		http.Error(w, "the body is too large", http.StatusRequestEntityTooLarge)
		return
	}
	header, secret := r.Header.Get("X-Service-Signature"), os.Getenv("CHAIRSIDE_WEBHOOK_SECRET")
	if _, err := chairside.Verify(body, header, secret, 5*time.Minute, time.Now()); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var event struct{ Event, ID string }
	if err := json.Unmarshal(body, &event); err != nil {
		http.Error(w, "the body is not JSON", http.StatusBadRequest)
		return
	}
	fmt.Println(event.Event, event.ID) // put your work into a queue here, and respond at once
	w.WriteHeader(http.StatusNoContent)
}

func main() {
	http.HandleFunc("/webhooks", receive)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}
