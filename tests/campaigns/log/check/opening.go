package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// An opening shows the content of a leaf (docs/log-format.md, "How a leaf is opened"). Raw members are hashed as they are.
type opening struct {
	V               int             `json:"v"`
	Leaf            json.RawMessage `json:"leaf"`
	Commitment      string          `json:"commitment"`
	Producer        string          `json:"producer"`
	PublicSalt      string          `json:"public_salt"`
	PublicStatement json.RawMessage `json:"public_statement"`
	Owner           *struct {
		Salt      string `json:"salt"`
		Statement string `json:"statement"`
		OwnerID   string `json:"owner_id"`
		AgentID   string `json:"agent_id"`
		Number    int64  `json:"number"`
		NextMark  string `json:"next_mark"`
	} `json:"owner"`
	OutcomeSalt   string          `json:"outcome_salt"`
	PublicOutcome json.RawMessage `json:"public_outcome"`
}

// openLeaf returns the leaf of an opening once the digests of its content are right; anything else is a leaf itself.
func openLeaf(extra []byte) ([]byte, error) {
	if !bytes.Contains(extra, []byte(`"leaf":`)) {
		return extra, nil
	}
	var o opening
	reader := json.NewDecoder(bytes.NewReader(extra))
	reader.DisallowUnknownFields()
	if err := reader.Decode(&o); err != nil || o.V != 1 || reader.More() {
		return nil, fmt.Errorf("the extra data is no opening: %v", err)
	}
	var leaf struct {
		C string `json:"c"`
		O string `json:"o"`
	}
	if err := json.Unmarshal(o.Leaf, &leaf); err != nil {
		return nil, err
	}
	name, shown, found := "c", leaf.C, o.decisionDigest()
	if o.PublicOutcome != nil {
		name, shown, found = "o", leaf.O, digest([]byte("stancebook/outcome/1\n"), unhex(o.OutcomeSalt), o.PublicOutcome)
	}
	if shown != found {
		return nil, fmt.Errorf("%s of the leaf is %s; its content has %s", name, shown, found)
	}
	return o.Leaf, o.checkOwner()
}

func (o opening) decisionDigest() string {
	public := digest(unhex(o.PublicSalt), o.PublicStatement)
	return digest([]byte("stancebook/decision/1\n"), unhex(o.Commitment), unhex(public), unhex(o.Producer))
}

func (o opening) checkOwner() error {
	if o.Owner == nil {
		return nil
	}
	salt := unhex(o.Owner.Salt)
	producer := digest([]byte("stancebook/producer/1\n"), salt, []byte(o.Owner.OwnerID+"/"+o.Owner.AgentID))
	if o.Owner.Number > 0 {
		named := fmt.Sprintf("%s/%d/%s", o.Owner.AgentID, o.Owner.Number, o.Owner.NextMark)
		own := digest([]byte("stancebook/producer-salt/1\n"), salt)
		owner := digest([]byte("stancebook/owner/1\n"), salt, []byte(o.Owner.OwnerID))
		producer = digest([]byte("stancebook/producer/2\n"), unhex(own), unhex(owner), []byte(named))
	}
	if commitment := digest(salt, []byte(o.Owner.Statement)); commitment != o.Commitment || producer != o.Producer {
		return fmt.Errorf("the owner's part has the commitment %s and the producer %s", commitment, producer)
	}
	return nil
}

func digest(parts ...[]byte) string {
	sum := sha256.Sum256(bytes.Join(parts, nil))
	return hex.EncodeToString(sum[:])
}

// unhex returns nothing for anything but hexadecimal digits, so that the digest is another one.
func unhex(text string) []byte {
	raw, err := hex.DecodeString(text)
	if err != nil || hex.EncodeToString(raw) != text {
		return nil
	}
	return raw
}
