package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

// tiles reads the tiles of a folder with the paths of c2sp.org/tlog-tiles, which leave out the height.
type tiles struct{ folder string }

func (t tiles) Height() int { return height }

func (t tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var read [][]byte
	for _, tile := range wanted {
		data, err := os.ReadFile(filepath.Join(t.folder, strings.Replace(tile.Path(), "tile/8/", "tile/", 1)))
		if err != nil {
			return nil, err
		}
		if len(data) != tile.W*tlog.HashSize {
			return nil, fmt.Errorf("%s has %d bytes", tile.Path(), len(data))
		}
		read = append(read, data)
	}
	return read, nil
}

// leaves reads the entry bundles of a tree.
func (t tiles) leaves(size int64) ([][]byte, error) {
	var all [][]byte
	for n := int64(0); n*256 < size; n++ {
		width := size - n*256
		if width > 256 {
			width = 256
		}
		path := tlog.Tile{H: height, L: -1, N: n, W: int(width)}.Path()
		bundle, err := os.ReadFile(filepath.Join(t.folder, strings.Replace(path, "tile/8/data/", "tile/entries/", 1)))
		if err != nil {
			return nil, err
		}
		for len(bundle) > 0 {
			if len(bundle) < 2 || len(bundle) < 2+int(binary.BigEndian.Uint16(bundle)) {
				return nil, fmt.Errorf("%s ends within an entry", path)
			}
			end := 2 + int(binary.BigEndian.Uint16(bundle))
			all = append(all, bundle[2:end])
			bundle = bundle[end:]
		}
		if int64(len(all)) != n*256+width {
			return nil, fmt.Errorf("%s has another number of entries", path)
		}
	}
	return all, nil
}

// hashes reads the base64 lines of a proof.
func hashes(lines []string) ([]tlog.Hash, error) {
	var all []tlog.Hash
	for _, line := range lines {
		raw, err := base64.StdEncoding.Strict().DecodeString(line)
		if err != nil || len(raw) != tlog.HashSize {
			return nil, fmt.Errorf("%q is not a hash", line)
		}
		all = append(all, *(*tlog.Hash)(raw))
	}
	return all, nil
}

// numbers reads the two numbers of a file's name, such as 255-257.
func numbers(file string) (int64, int64, error) {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	first, second, _ := strings.Cut(name, "-")
	a, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return 0, 0, err
	}
	b, err := strconv.ParseInt(second, 10, 64)
	return a, b, err
}
