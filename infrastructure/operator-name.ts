import { userInfo } from 'node:os';

/**
 * Who runs a command, for the audit log and the security events: the user of the operating system, such as
 * `command line: stancebook`. After `sudo` also the name in SUDO_USER, as claimed: the user who runs the command can set it.
 */
export function operatorName({ SUDO_USER: claimed }: NodeJS.ProcessEnv = process.env, user = systemUser()): string {
  const actor = `command line: ${plain(user)}`;
  return claimed ? `${actor} (claimed: ${plain(claimed)})` : actor;
}

/** A container may run as a user without a name. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

const LONGEST = 64;

/** Entries of the audit log are never removed: no text of another form gets into them. */
function plain(name: string): string {
  return name.replace(/[^\w.@ -]/g, '?').slice(0, LONGEST);
}
