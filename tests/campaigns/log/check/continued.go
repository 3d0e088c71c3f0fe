package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// A continuesLeaf says that a log goes on with the leaves of another one (docs/log-format.md).
type continuesLeaf struct {
	Of   string `json:"of"`
	Root string `json:"root"`
	Size int64  `json:"size"`
	T    string `json:"t"`
	V    int    `json:"v"`
}

// checkContinued verifies that the log of a folder goes on with the one that signed a checkpoint: that the newest tree starts
// with the one of the checkpoint, and that one leaf, which follows it, names that tree.
func checkContinued(folder, file string, keys []note.Verifier) error {
	vkey, err := os.ReadFile(filepath.Join(folder, "before.vkey"))
	if err != nil {
		return err
	}
	key, err := note.NewVerifier(strings.TrimSpace(string(vkey)))
	if err != nil {
		return err
	}
	signed, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	// The witness, where there is one, is the same.
	before, err := openCheckpoint(signed, append([]note.Verifier{key}, keys[1:]...))
	if err != nil {
		return err
	}
	newest, err := os.ReadFile(filepath.Join(folder, "checkpoint"))
	if err != nil {
		return err
	}
	after, err := openCheckpoint(newest, keys)
	if err != nil {
		return err
	}
	if err := startsWith(folder, after, before); err != nil {
		return fmt.Errorf("the log does not go on with %s: %w", key.Name(), err)
	}
	leaves, err := tiles{folder}.leaves(after.N)
	if err != nil {
		return err
	}
	return checkLeaf(folder, key.Name(), leaves, before, after)
}

func checkLeaf(folder, origin string, leaves [][]byte, before, after tlog.Tree) error {
	var found *continuesLeaf
	for index, bytesOf := range leaves {
		if !bytes.Contains(bytesOf, []byte(`"t":"continues"`)) {
			continue
		}
		var leaf continuesLeaf
		reader := json.NewDecoder(bytes.NewReader(bytesOf))
		reader.DisallowUnknownFields()
		if err := reader.Decode(&leaf); err != nil {
			return err
		}
		if leaf.Of != origin {
			continue
		}
		if found != nil || leaf.V != 1 || leaf.Size != int64(index) {
			return fmt.Errorf("leaf %d names %d leaves of %s", index, leaf.Size, leaf.Of)
		}
		found = &leaf
	}
	if found == nil {
		return fmt.Errorf("no leaf says that %s is continued", origin)
	}
	root, err := hex.DecodeString(found.Root)
	if err != nil || len(root) != tlog.HashSize || found.Size < before.N {
		return fmt.Errorf("the leaf names %d leaves of %s, of which %d are signed: %v", found.Size, origin, before.N, err)
	}
	return startsWith(folder, after, tlog.Tree{N: found.Size, Hash: *(*tlog.Hash)(root)})
}

// startsWith verifies by the proof that tlog makes from the tiles that a tree starts with another one.
func startsWith(folder string, after, before tlog.Tree) error {
	proof, err := tlog.ProveTree(after.N, before.N, tlog.TileHashReader(after, tiles{folder}))
	if err != nil {
		return err
	}
	return tlog.CheckTree(proof, after.N, after.Hash, before.N, before.Hash)
}
