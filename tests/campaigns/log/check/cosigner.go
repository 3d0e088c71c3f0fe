package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
)

// A cosigner is a note.Verifier of cosignature/v1, which golang.org/x/mod does not know (c2sp.org/tlog-cosignature).
type cosigner struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

func newCosigner(vkey string) (*cosigner, error) {
	parts := strings.SplitN(strings.TrimSpace(vkey), "+", 3)
	key, err := base64.StdEncoding.Strict().DecodeString(parts[len(parts)-1])
	if len(parts) != 3 || err != nil || len(key) != 33 || key[0] != 0x04 {
		return nil, fmt.Errorf("%q is not the key of a cosigner", vkey)
	}
	id := sha256.Sum256(append([]byte(parts[0]+"\n"), key...))
	if fmt.Sprintf("%x", id[:4]) != parts[1] {
		return nil, fmt.Errorf("%q has another key ID than its key", vkey)
	}
	return &cosigner{parts[0], binary.BigEndian.Uint32(id[:4]), key[1:]}, nil
}

func (c *cosigner) Name() string    { return c.name }
func (c *cosigner) KeyHash() uint32 { return c.hash }

func (c *cosigner) Verify(msg, sig []byte) bool {
	if len(sig) != 72 {
		return false
	}
	head := fmt.Sprintf("cosignature/v1\ntime %d\n", binary.BigEndian.Uint64(sig))
	return ed25519.Verify(c.key, append([]byte(head), msg...), sig[8:])
}
