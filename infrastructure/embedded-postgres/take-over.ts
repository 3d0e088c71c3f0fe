import { chownSync, lchownSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { giveToFolder } from '../../adapters/files/folder-owner.ts';
import { type Account, accountNamed } from './server-account.ts';
import type { ServerHome } from './server-home.ts';

/**
 * Gives a cluster that an earlier release left to `nobody` to the account that runs PostgreSQL now, and whatever root wrote
 * or copied into it. No server may run in it. A take-over that was interrupted continues: the folder is root's until the
 * last file was given.
 *
 * Other programs may run as the former owner. Each folder changes hands before its entries are read, so such a program
 * cannot put a link in place of an entry; entries of other users stay theirs.
 */
export function takeOverHome({ folder, account }: ServerHome, log: (line: string) => void): void {
  if (account === undefined) return;
  const former = accountNamed('nobody');
  const owner = statSync(folder).uid;
  if (owner === 0 || (owner === former?.uid && owner !== account.uid)) {
    chownSync(folder, 0, 0);
    if (former) giveEntries(folder, former, account);
    chownSync(folder, account.uid, account.gid);
    log(`Gave ${folder} to user ${account.uid}, which runs PostgreSQL in it`);
  }
  for (const name of readdirSync(folder)) giveToFolder(join(folder, name), { below: true });
}

function giveEntries(folder: string, former: Account, { uid, gid }: Account): void {
  for (const name of readdirSync(folder)) {
    const entry = join(folder, name);
    const found = lstatSync(entry);
    if (found.uid === former.uid) lchownSync(entry, uid, gid);
    else if (found.uid !== uid) continue;
    if (found.isDirectory()) giveEntries(entry, former, { uid, gid });
  }
}
