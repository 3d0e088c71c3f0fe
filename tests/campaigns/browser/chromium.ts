import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { installPackages } from '../stage/debian.ts';

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

/** Playwright must not handle Ctrl-C: the stage stops the service first. The browser ends with us. */
export const OURS = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };

/** Starts Chromium with an empty profile. Uses CHROMIUM or the PATH, and otherwise installs Debian's package. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: installed(), args: FLAGS, ...OURS });
}

function installed(): string {
  const found = process.env.CHROMIUM ?? programOnPath(NAMES);
  if (found) return found;
  installPackages('chromium');
  const chromium = programOnPath(NAMES);
  if (!chromium)
    throw new Error('The Debian package chromium is installed, but no chromium is on the PATH. Set CHROMIUM.');
  return chromium;
}

/** The first program of these names on the PATH. */
export function programOnPath(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
