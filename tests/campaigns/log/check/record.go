package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// A recordLeaf is a leaf in the file of a whole record (docs/log-format.md).
type recordLeaf struct {
	Index int64           `json:"index"`
	Leaf  json.RawMessage `json:"leaf"`
	Path  []string        `json:"path"`
	Note  string          `json:"note"`
}

type recordLine struct {
	Type string `json:"type"`
	recordLeaf
	Producer struct {
		Salt     string `json:"producer_salt"`
		Owner    string `json:"owner_digest"`
		AgentID  string `json:"agent_id"`
		Number   int64  `json:"number"`
		NextMark string `json:"next_mark"`
	} `json:"producer"`
	Commitment      string          `json:"commitment"`
	PublicDigest    string          `json:"public_digest"`
	PublicSalt      string          `json:"public_salt"`
	PublicStatement json.RawMessage `json:"public_statement"`
	Outcome         *struct {
		recordLeaf
		OutcomeSalt   string          `json:"outcome_salt"`
		PublicOutcome json.RawMessage `json:"public_outcome"`
	} `json:"outcome"`
	// Of the first and of the last line.
	V          int    `json:"v"`
	AgentID    string `json:"agent_id"`
	Checkpoint string `json:"checkpoint"`
	Decisions  int    `json:"decisions"`
	Imported   int64  `json:"imported"`
	Earlier    bool   `json:"earlier"`
}

// checkRecord verifies that a file has all decisions of an agent: each number once, and the next mark nowhere in the log.
func checkRecord(folder, file string, keys []note.Verifier) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var lines []recordLine
	for _, each := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		var line recordLine
		reader := json.NewDecoder(strings.NewReader(each))
		reader.DisallowUnknownFields()
		if err := reader.Decode(&line); err != nil {
			return err
		}
		lines = append(lines, line)
	}
	head, end, lines := lines[0], lines[len(lines)-1], lines[1:len(lines)-1]
	if head.Type != "record" || head.V != 1 || end.Type != "complete" || end.Decisions != len(lines) || len(lines) == 0 {
		return fmt.Errorf("the file is not whole")
	}
	tree, err := openCheckpoint([]byte(head.Checkpoint), keys)
	if err != nil {
		return err
	}
	sort.Slice(lines, func(i, j int) bool { return lines[i].Producer.Number < lines[j].Producer.Number })
	newest, err := os.ReadFile(folder + "/checkpoint")
	if err != nil {
		return err
	}
	log, err := openCheckpoint(newest, keys)
	if err != nil || log.N < tree.N {
		return fmt.Errorf("the log has %d leaves, the file %d: %v", log.N, tree.N, err)
	}
	leaves, err := tiles{folder}.leaves(log.N)
	if err != nil {
		return err
	}
	next := ""
	for i, line := range lines {
		mark, err := line.check(tree, head.AgentID)
		if err != nil {
			return err
		}
		if line.Producer.Number != end.Imported+int64(i)+1 || next != "" && mark != next {
			return fmt.Errorf("number %d does not follow the one before it", line.Producer.Number)
		}
		if found := countMarks(leaves, mark); found != 1 {
			return fmt.Errorf("the mark of number %d is in %d leaves", line.Producer.Number, found)
		}
		next = line.Producer.NextMark
	}
	if countMarks(leaves, next) > 0 {
		return fmt.Errorf("a later number is logged and not shown")
	}
	return nil
}

// check verifies what a line says of its leaves. It returns the mark.
func (line recordLine) check(tree tlog.Tree, agentID string) (string, error) {
	var leaf struct{ C, Mark string }
	if err := json.Unmarshal(line.Leaf, &leaf); err != nil {
		return "", err
	}
	public := line.PublicDigest
	if line.PublicStatement != nil {
		public = digest(unhex(line.PublicSalt), line.PublicStatement)
	}
	p := line.Producer
	named := fmt.Sprintf("%s/%d/%s", p.AgentID, p.Number, p.NextMark)
	producer := digest([]byte("stancebook/producer/2\n"), unhex(p.Salt), unhex(p.Owner), []byte(named))
	found := digest([]byte("stancebook/decision/1\n"), unhex(line.Commitment), unhex(public), unhex(producer))
	if found != leaf.C || p.AgentID != agentID {
		return "", fmt.Errorf("number %d of %s does not open its leaf", p.Number, p.AgentID)
	}
	if line.Outcome != nil {
		var graded struct {
			O  string
			Of int64
		}
		if err := json.Unmarshal(line.Outcome.Leaf, &graded); err != nil {
			return "", err
		}
		o := digest([]byte("stancebook/outcome/1\n"), unhex(line.Outcome.OutcomeSalt), line.Outcome.PublicOutcome)
		if o != graded.O || graded.Of != line.Index {
			return "", fmt.Errorf("the outcome of number %d does not open its leaf", p.Number)
		}
		if err := line.Outcome.included(tree); err != nil {
			return "", err
		}
	}
	return leaf.Mark, line.included(tree)
}

func (l recordLeaf) included(tree tlog.Tree) error {
	path, err := hashes(l.Path)
	if err != nil {
		return err
	}
	return tlog.CheckRecord(path, tree.N, tree.Hash, l.Index, tlog.RecordHash(l.Leaf))
}

func countMarks(leaves [][]byte, mark string) (found int) {
	for _, leaf := range leaves {
		if bytes.Contains(leaf, []byte(`"mark":"`+mark+`"`)) {
			found++
		}
	}
	return
}
