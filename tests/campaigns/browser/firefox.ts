import { delimiter, dirname, join } from 'node:path';
import { type Browser, firefox } from 'playwright-core';
import { installPackages } from '../stage/debian.ts';
import { OURS, programOnPath } from './chromium.ts';

/** `ui.systemUsesDarkTheme` */
const SCHEMES = { light: 0, dark: 1 } as const;

/** Starts Firefox with an empty profile. Uses FIREFOX or the PATH, and otherwise installs Debian's package. */
export function launchFirefox(scheme: keyof typeof SCHEMES): Promise<Browser> {
  const program = process.env.FIREFOX ?? programOnPath(NAMES) ?? install();
  // The relay runs on this Node.js.
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  return firefox.launch({
    channel: 'moz-firefox',
    executablePath: join(import.meta.dirname, 'firefox-relay.ts'),
    env: { ...process.env, PATH: path, FIREFOX: program },
    firefoxUserPrefs: { 'ui.systemUsesDarkTheme': SCHEMES[scheme] },
    ...OURS,
  });
}

const NAMES = ['firefox-esr', 'firefox'];

function install(): string {
  installPackages('firefox-esr');
  return 'firefox-esr';
}
