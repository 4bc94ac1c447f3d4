package chairside

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	timePart      = regexp.MustCompile(`^t=[0-9]{1,12}$`)
	signaturePart = regexp.MustCompile(`^v1=[0-9A-Fa-f]{64}$`)
	otherPart     = regexp.MustCompile(`^[!-<>-~]+=[!-<>-~]*$`)
	comma         = regexp.MustCompile(`,[ \t]*`)
)

// Verify returns the time of signing, or an error if the request must be refused.
// Pass 5 * time.Minute as tolerance, unless you have a reason for another value.
func Verify(body []byte, header, secret string, tolerance time.Duration, now time.Time) (time.Time, error) {
	var times []string
	var signatures [][]byte
	if len(header) > 4096 {
		return time.Time{}, errors.New("malformed header")
	}
	for _, part := range comma.Split(header, -1) {
		switch {
		case timePart.MatchString(part):
			times = append(times, part[2:])
		case signaturePart.MatchString(part):
			signature, _ := hex.DecodeString(part[3:])
			signatures = append(signatures, signature)
		case strings.HasPrefix(part, "t="), strings.HasPrefix(part, "v1="), !otherPart.MatchString(part):
			return time.Time{}, errors.New("malformed header")
		}
	}
	if len(times) != 1 || len(signatures) < 1 || len(signatures) > 16 {
		return time.Time{}, errors.New("malformed header")
	}

	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(times[0] + "."))
	mac.Write(body)
	expected, equal := mac.Sum(nil), false
	for _, signature := range signatures {
		equal = hmac.Equal(expected, signature) || equal
	}
	if !equal {
		return time.Time{}, errors.New("signature mismatch")
	}

	seconds, _ := strconv.ParseInt(times[0], 10, 64)
	age, limit := now.Unix()-seconds, int64(tolerance/time.Second)
	if age > limit || -age > limit {
		return time.Time{}, errors.New("signed too long ago, or in the future")
	}
	return time.Unix(seconds, 0), nil
}
