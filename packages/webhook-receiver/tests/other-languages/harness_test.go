package main

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestVectors(*testing.T) {
	now, _ := strconv.ParseInt(os.Getenv("NOW"), 10, 64)
	cases, _ := os.ReadFile(os.Getenv("CASES"))
	for _, line := range strings.Split(strings.TrimSuffix(string(cases), "\n"), "\n") {
		fields := strings.Split(line, "\t")
		header := http.Header{}
		for index, name := range []string{"svc-webhook-id", "svc-webhook-timestamp", "svc-webhook-signature"} {
			for _, value := range strings.Split(fields[index+1], ",") {
				if decoded, _ := base64.StdEncoding.DecodeString(value); value != "" {
					header.Add(name, string(decoded))
				}
			}
		}
		body, _ := base64.StdEncoding.DecodeString(fields[4])
		fmt.Println(verify(strings.Split(fields[0], ","), header, body, time.Unix(now, 0)))
	}
}
