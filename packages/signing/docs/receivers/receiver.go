// Run with: CHAIRSIDE_WEBHOOK_SECRET=whsec_... go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const limit = 1 << 20

var secrets = readSecrets()

// readSecrets returns one secret, or several with commas between them. Without a valid secret, the receiver does not start.
func readSecrets() []string {
	secrets := strings.Split(os.Getenv("CHAIRSIDE_WEBHOOK_SECRET"), ",")
	for _, secret := range secrets {
		if len(secrets) > 16 || len(secret) < 16 || secret != strings.TrimSpace(secret) {
			log.Fatal("CHAIRSIDE_WEBHOOK_SECRET must have 1 to 16 secrets of at least 16 bytes, without blanks around them.")
		}
	}
	return secrets
}

var (
	timePart      = regexp.MustCompile(`^t=[0-9]{1,12}$`)
	signaturePart = regexp.MustCompile(`^v1=[0-9A-Fa-f]{64}$`)
	otherPart     = regexp.MustCompile(`^[!-<>-~]+=[!-<>-~]*$`)
	comma         = regexp.MustCompile(`,[ \t]*`)
)

// verify takes the received bytes and every value of X-Service-Signature. It returns nil only if the service signed them
// with one of the secrets. The text of an error is the code of the refusal.
func verify(body []byte, headers []string) error {
	if len(headers) == 0 || len(headers) == 1 && headers[0] == "" {
		return errors.New("missing_header")
	}
	if len(headers) > 1 || len(headers[0]) > 4096 {
		return errors.New("malformed_header")
	}
	var times []string
	var signatures [][]byte
	for _, part := range comma.Split(headers[0], -1) {
		switch {
		case timePart.MatchString(part):
			times = append(times, part[2:])
		case signaturePart.MatchString(part):
			signature, _ := hex.DecodeString(part[3:])
			signatures = append(signatures, signature)
		case strings.HasPrefix(part, "t="), strings.HasPrefix(part, "v1="), !otherPart.MatchString(part):
			return errors.New("malformed_header")
		}
	}
	if len(times) != 1 || len(signatures) > 16 {
		return errors.New("malformed_header")
	}
	if len(signatures) == 0 {
		return errors.New("no_signature")
	}

	equal := false
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(times[0] + "."))
		mac.Write(body)
		expected := mac.Sum(nil)
		for _, signature := range signatures {
			equal = hmac.Equal(expected, signature) || equal
		}
	}
	if !equal {
		return errors.New("mismatch")
	}

	seconds, _ := strconv.ParseInt(times[0], 10, 64)
	switch age := time.Now().Unix() - seconds; {
	case age > 300:
		return errors.New("too_old")
	case age < -300:
		return errors.New("too_new")
	}
	return nil
}

type event struct {
	ID, Event *string
	Timestamp *float64
	Data      map[string]json.RawMessage
}

func readEvent(body []byte) (event, error) {
	var e event
	if err := json.Unmarshal(body, &e); err != nil || !utf8.Valid(body) ||
		e.ID == nil || e.Event == nil || e.Timestamp == nil || *e.Timestamp != math.Trunc(*e.Timestamp) || e.Data == nil {
		return e, errors.New("bad_json")
	}
	return e, nil
}

func receive(w http.ResponseWriter, r *http.Request) {
	respond := func(status int, text string) {
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(status)
		io.WriteString(w, text)
	}
	if r.URL.Path != "/webhooks" {
		respond(http.StatusNotFound, "")
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		respond(http.StatusMethodNotAllowed, "")
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err != nil {
		respond(http.StatusBadRequest, "")
		return
	}
	if len(body) > limit {
		respond(http.StatusRequestEntityTooLarge, "")
		return
	}
	if err := verify(body, r.Header.Values("X-Service-Signature")); err != nil {
		respond(http.StatusBadRequest, err.Error())
		return
	}
	e, err := readEvent(body)
	if err != nil {
		respond(http.StatusBadRequest, err.Error())
		return
	}
	// Put the event into a queue here, and respond at once. An event can arrive twice: process each id once.
	fmt.Println(*e.Event, *e.ID)
	w.WriteHeader(http.StatusNoContent)
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	server := http.Server{Addr: "127.0.0.1:" + port, Handler: http.HandlerFunc(receive), ReadTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}
