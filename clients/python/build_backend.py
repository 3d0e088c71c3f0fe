"""Builds the wheel and the sdist of stancebook (PEP 517), with nothing but the standard library.

One file is the whole client, so that it can be copied. In the wheel it is a package, which alone can be typed
(PEP 561). The same tree gives the same bytes on every machine: entries are in order, without owners, and have the time of
SOURCE_DATE_EPOCH, else 1980.

SPDX-License-Identifier: Apache-2.0
"""

import base64
import hashlib
import io
import os
import re
import struct
import tarfile
import time
import zipfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
#: The oldest time that an archive of zip can have.
OLDEST = 315532800
MAIN = b'import sys\n\nfrom stancebook import main\n\nsys.exit(main())\n'
SOURCES = ["README.md", "build_backend.py", "pyproject.toml", "stancebook.py"]
LICENCES = ["LICENSE", "NOTICE"]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel, and returns its name."""
    info = "stancebook-%s.dist-info" % _version()
    files = [
        ("stancebook/__init__.py", _read("stancebook.py")),
        ("stancebook/__main__.py", MAIN),
        ("stancebook/py.typed", b""),
        (info + "/entry_points.txt", _entry_points()),
        *((info + "/licenses/" + name, _licence(name)) for name in LICENCES),
        (info + "/METADATA", _metadata()),
        (info + "/WHEEL", b"Wheel-Version: 1.0\nGenerator: stancebook\nRoot-Is-Purelib: true\nTag: py3-none-any\n"),
    ]
    record = "".join("%s,sha256=%s,%d\n" % (name, _digest(content), len(content)) for name, content in files)
    files.append((info + "/RECORD", (record + info + "/RECORD,,\n").encode("utf-8")))
    name = "stancebook-%s-py3-none-any.whl" % _version()
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w") as wheel:
        for path, content in files:
            entry = zipfile.ZipInfo(path, time.gmtime(_time())[:6])
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            # The bytes of a compressed entry depend on the zlib of the machine.
            wheel.writestr(entry, content, zipfile.ZIP_STORED)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """Writes the sdist, and returns its name."""
    folder = "stancebook-%s" % _version()
    files = [(name, _read(name)) for name in SOURCES] + [(name, _licence(name)) for name in LICENCES]
    files += [("PKG-INFO", _metadata()), ("entry_points.txt", _entry_points())]
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, content in sorted(files):
            entry = tarfile.TarInfo("%s/%s" % (folder, name))
            entry.size, entry.mtime, entry.mode = len(content), _time(), 0o644
            tar.addfile(entry, io.BytesIO(content))
    with open(os.path.join(sdist_directory, folder + ".tar.gz"), "wb") as file:
        file.write(_stored_gzip(archive.getvalue()))
    return folder + ".tar.gz"


def _stored_gzip(content):
    """A file of gzip that is not compressed (RFC 1951, 3.2.4; RFC 1952), as the bytes of zlib depend on its release."""
    parts = [struct.pack("<4sL2s", b"\x1f\x8b\x08\x00", _time(), b"\x00\xff")]
    for start in range(0, len(content), 0xFFFF):
        part = content[start : start + 0xFFFF]
        is_last = start + 0xFFFF >= len(content)
        parts += [struct.pack("<BHH", is_last, len(part), len(part) ^ 0xFFFF), part]
    return b"".join(parts) + struct.pack("<LL", zlib.crc32(content), len(content))


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    raise NotImplementedError("One file needs no editable install: put this folder on PYTHONPATH.")


def _metadata():
    """The core metadata 2.4; an sdist has them, so that building from it needs no reader of TOML."""
    if os.path.exists(_path("PKG-INFO")):
        return _read("PKG-INFO")
    project = _project()
    lines = ["Metadata-Version: 2.4", "Name: " + project["name"], "Version: " + _version()]
    lines += ["Summary: " + project["description"], "Keywords: " + ",".join(project["keywords"])]
    lines += ["License-Expression: " + project["license"]]
    lines += ["License-File: " + name for name in project["license-files"]]
    lines += ["Classifier: " + each for each in project["classifiers"]]
    lines += ["Requires-Python: " + project["requires-python"], "Description-Content-Type: text/markdown"]
    return ("\n".join(lines) + "\n\n").encode("utf-8") + _read(project["readme"])


def _entry_points():
    if os.path.exists(_path("entry_points.txt")):
        return _read("entry_points.txt")
    scripts = ["%s = %s\n" % script for script in sorted(_project()["scripts"].items())]
    return ("[console_scripts]\n" + "".join(scripts)).encode("utf-8")


def _project():
    try:
        import tomllib
    except ImportError:
        # On Python 3.9 and 3.10 pip brings one.
        from pip._vendor import tomli as tomllib

    return tomllib.loads(_read("pyproject.toml").decode("utf-8"))["project"]


def _version():
    return re.search(rb'^USER_AGENT = "stancebook-python/(.+)"$', _read("stancebook.py"), re.MULTILINE)[1].decode("ascii")


def _licence(name):
    """In a checkout it is at the top of the tree."""
    return _read(name if os.path.exists(_path(name)) else os.path.join("..", "..", name))


def _time():
    return max(OLDEST, int(os.environ.get("SOURCE_DATE_EPOCH") or OLDEST))


def _digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode("ascii")


def _read(name):
    with open(_path(name), "rb") as file:
        return file.read()


def _path(name):
    return os.path.join(HERE, name)
