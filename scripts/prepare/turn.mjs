import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

/**
 * Waits until no other process installs: two npm ci in one folder would each remove what the other has just unpacked.
 * @param refuse called with the code of the error where the file cannot be written
 */
export function takeTurn(file, refuse) {
  for (let isAnnounced = false; ; ) {
    try {
      return writeFileSync(file, `${process.pid}`, { flag: 'wx' });
    } catch (error) {
      if (error.code !== 'EEXIST') refuse(error.code);
    }
    if (isAbandoned(file)) rmSync(file, { force: true });
    else {
      if (!isAnnounced) console.error('Waiting for another command that installs the packages...');
      isAnnounced = true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
}

function isAbandoned(file) {
  try {
    const holder = Number(readFileSync(file, 'utf8'));
    // Empty: between its making and its writing, or left so by a crash just there.
    if (holder === 0) return Date.now() - statSync(file).mtimeMs > 10_000;
    process.kill(holder, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}
