package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"example/chairside"
)

func decode(field string) []byte {
	bytes, err := base64.StdEncoding.DecodeString(field)
	if err != nil {
		panic(err)
	}
	return bytes
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		now, _ := strconv.ParseInt(fields[3], 10, 64)
		_, err := chairside.Verify(decode(fields[2]), string(decode(fields[0])), string(decode(fields[1])), 5*time.Minute, time.Unix(now, 0))
		if err == nil {
			fmt.Println("accept")
		} else {
			fmt.Println("refuse")
		}
	}
}
