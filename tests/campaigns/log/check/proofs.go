package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// checkInclusion verifies a proof file and compares it with the proof that tlog makes from the tiles.
func checkInclusion(folder, file string, keys []note.Verifier, roots map[int64]tlog.Hash) error {
	proof, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	head, signed, _ := bytes.Cut(proof, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	tree, err := openCheckpoint(signed, keys)
	if err != nil {
		return err
	}
	size, index, err := numbers(file)
	if err != nil || tree.N != size || tree.Hash != roots[size] || len(lines) < 3 {
		return fmt.Errorf("the checkpoint of %d leaves is not that of the name: %v", tree.N, err)
	}
	extra, err := base64.StdEncoding.Strict().DecodeString(strings.TrimPrefix(lines[1], "extra "))
	if err != nil || lines[0] != "c2sp.org/tlog-proof@v1" || lines[2] != fmt.Sprintf("index %d", index) {
		return fmt.Errorf("the first lines are not those of a proof: %v", err)
	}
	leaf, err := openLeaf(extra)
	if err != nil {
		return err
	}
	sent, err := hashes(lines[3:])
	if err != nil {
		return err
	}
	made, err := tlog.ProveRecord(size, index, tlog.TileHashReader(tree, tiles{folder}))
	if err != nil || !reflect.DeepEqual([]tlog.Hash(made), sent) && len(made)+len(sent) > 0 {
		return fmt.Errorf("tlog makes another proof: %v", err)
	}
	return tlog.CheckRecord(sent, size, tree.Hash, index, tlog.RecordHash(leaf))
}

// checkConsistency verifies a proof between two checkpoints and compares it with the proof that tlog makes.
func checkConsistency(folder, file string, roots map[int64]tlog.Hash) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, after, err := numbers(file)
	if err != nil {
		return err
	}
	sent, err := hashes(strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"))
	if err != nil {
		return err
	}
	tree := tlog.Tree{N: after, Hash: roots[after]}
	made, err := tlog.ProveTree(after, before, tlog.TileHashReader(tree, tiles{folder}))
	if err != nil || !reflect.DeepEqual([]tlog.Hash(made), sent) && len(made)+len(sent) > 0 {
		return fmt.Errorf("tlog makes another proof: %v", err)
	}
	return tlog.CheckTree(sent, after, roots[after], before, roots[before])
}

// checkGrowth verifies that each tree continues the one before it, by the proofs that tlog makes from the tiles.
func checkGrowth(folder string, roots map[int64]tlog.Hash) error {
	var sizes []int64
	for size := range roots {
		sizes = append(sizes, size)
	}
	sort.Slice(sizes, func(i, j int) bool { return sizes[i] < sizes[j] })
	for i := 1; i < len(sizes); i++ {
		before, after := sizes[i-1], sizes[i]
		tree := tlog.Tree{N: after, Hash: roots[after]}
		proof, err := tlog.ProveTree(after, before, tlog.TileHashReader(tree, tiles{folder}))
		if err == nil {
			err = tlog.CheckTree(proof, after, roots[after], before, roots[before])
		}
		if err != nil {
			return fmt.Errorf("the tree of %d leaves does not continue that of %d: %w", after, before, err)
		}
	}
	return nil
}
