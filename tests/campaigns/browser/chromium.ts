import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Ctrl-C is the stage's to answer: it ends the service first. The browser goes with us. */
const OURS = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };

/** A browser of its own with an empty profile. Chromium is installed where it is missing and that is possible. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: installed(), args: FLAGS, ...OURS });
}

function installed(): string {
  const found = process.env.CHROMIUM ?? onPath();
  if (found) return found;
  if (process.getuid?.() !== 0 || !runs('apt-get', ['--version'])) {
    throw new Error('There is no chromium. Install it (Debian: apt-get install chromium), or name it in CHROMIUM.');
  }
  console.log('Installing chromium (once)...');
  runs('apt-get', ['update', '-qq']);
  runs('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium']);
  const now = onPath();
  if (!now) throw new Error('apt-get could not install chromium. Check the messages above and the network.');
  return now;
}

function onPath(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function runs(command: string, args: readonly string[]): boolean {
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(command, args, { stdio: ['ignore', 'ignore', 2], env: environment }).status === 0;
}
