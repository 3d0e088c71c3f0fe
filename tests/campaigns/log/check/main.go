// Checks a folder of a log with code that the project did not write: golang.org/x/mod/sumdb/note and tlog.
// Usage: check FOLDER. It prints what it checked, or the first fault with exit code 1.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func main() {
	counts, err := check(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%d checkpoints, each consistent with the one before, %d inclusion proofs, %d consistency proofs, %d records, "+
		"%d continued logs\n", counts[1], counts[2], counts[3], counts[4], counts[5])
}

func check(folder string) (counts [6]int, err error) {
	keys, err := verifiers(folder)
	if err != nil {
		return
	}
	roots := map[int64]tlog.Hash{}
	steps := []struct {
		pattern string
		check   func(file string) error
	}{
		{"checkpoint", func(file string) error { return checkCheckpoint(folder, file, keys, roots) }},
		{"checkpoints/*", func(file string) error { return checkCheckpoint(folder, file, keys, roots) }},
		{"inclusion/*", func(file string) error { return checkInclusion(folder, file, keys, roots) }},
		{"consistency/*", func(file string) error { return checkConsistency(folder, file, roots) }},
		{"records/*", func(file string) error { return checkRecord(folder, file, keys) }},
		{"before/*", func(file string) error { return checkContinued(folder, file, keys) }},
	}
	for i, step := range steps {
		files, err := filepath.Glob(filepath.Join(folder, step.pattern))
		// The consistency proofs are those of the project's code: a service has none.
		// Records are those of a service alone, and what was before is that of a log that goes on with another one.
		if err != nil || len(files) == 0 && i < 3 {
			return counts, fmt.Errorf("no file %s: %v", step.pattern, err)
		}
		for _, file := range files {
			if err := step.check(file); err != nil {
				return counts, fmt.Errorf("%s: %w", file, err)
			}
			counts[i]++
		}
	}
	return counts, checkGrowth(folder, roots)
}

// verifiers are the keys of the log and, where there is one, of its witness.
func verifiers(folder string) (keys []note.Verifier, err error) {
	log, err := os.ReadFile(filepath.Join(folder, "log.vkey"))
	if err != nil {
		return
	}
	key, err := note.NewVerifier(strings.TrimSpace(string(log)))
	if err != nil {
		return
	}
	witness, err := os.ReadFile(filepath.Join(folder, "witness.vkey"))
	if os.IsNotExist(err) {
		return []note.Verifier{key}, nil
	}
	if err != nil {
		return
	}
	cosigner, err := newCosigner(string(witness))
	return []note.Verifier{key, cosigner}, err
}

// openCheckpoint verifies a checkpoint signed by all keys. It returns the tree of its three lines.
func openCheckpoint(signed []byte, keys []note.Verifier) (tree tlog.Tree, err error) {
	opened, err := note.Open(signed, note.VerifierList(keys...))
	if err != nil {
		return
	}
	lines := strings.Split(opened.Text, "\n")
	if len(opened.Sigs) != len(keys) || len(lines) != 4 || lines[0] != keys[0].Name() {
		return tree, fmt.Errorf("%d signatures, %d lines, origin %q", len(opened.Sigs), len(lines), lines[0])
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return
	}
	root, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: root}, err
}

// checkCheckpoint verifies a checkpoint, its tiles, and that its entries have the hashes of the tiles.
func checkCheckpoint(folder, file string, keys []note.Verifier, roots map[int64]tlog.Hash) error {
	signed, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	tree, err := openCheckpoint(signed, keys)
	if err != nil {
		return err
	}
	leaves, err := tiles{folder}.leaves(tree.N)
	if err != nil {
		return err
	}
	var indexes []int64
	for i := range leaves {
		indexes = append(indexes, tlog.StoredHashIndex(0, int64(i)))
	}
	stored, err := tlog.TileHashReader(tree, tiles{folder}).ReadHashes(indexes)
	if err != nil {
		return err
	}
	for i, leaf := range leaves {
		if tlog.RecordHash(leaf) != stored[i] {
			return fmt.Errorf("entry %d does not have the hash of its tile", i)
		}
	}
	roots[tree.N] = tree.Hash
	return nil
}
