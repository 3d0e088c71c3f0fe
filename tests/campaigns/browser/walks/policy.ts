import { inkOf } from '../drawings.ts';
import type { Ground } from '../walk.ts';
import { openPage } from '../watched-page.ts';

/** Tries what an attacker would: it must be refused and reported, so that the other walks would report it too. */
export async function policyWalk({ browser, stage, tally }: Ground): Promise<void> {
  const { page, complaints, close } = await openPage(browser, stage.url);
  const reply = await page.goto('/');
  const policy = reply?.headers()['content-security-policy'] ?? '';
  tally.holds(
    'policy: it is strict',
    policy.startsWith("default-src 'none'; script-src 'self'; style-src 'self'") && !policy.includes('unsafe'),
    policy,
  );
  tally.holds('control: an inline script does not run', !(await page.evaluate(inlineScript).catch(() => false)));
  tally.holds('control: an inline style has no effect', !(await page.evaluate(inlineStyle)));
  tally.holds('control: markup from text is refused', !(await page.evaluate(markup).catch(() => false)));
  tally.holds('control: another host is not reached', !(await page.evaluate(otherHost)));
  const reports = complaints.filter((complaint) =>
    /Content Security Policy|TrustedHTML|TrustedScript|another host/.test(complaint),
  );
  tally.holds('control: each attempt is reported', reports.length >= 3, complaints);
  await page.evaluate(blankCanvas);
  tally.holds('control: an unused canvas is blank', (await inkOf(page, '#blank')) === 0);
  await close();
}

function inlineScript(): boolean {
  const script = document.createElement('script');
  script.append('window.intruded = true');
  document.head.append(script);
  return Reflect.get(window, 'intruded') === true;
}

function inlineStyle(): boolean {
  const style = document.createElement('style');
  style.append('body { position: fixed }');
  document.head.append(style);
  return getComputedStyle(document.body).position === 'fixed';
}

function markup(): boolean {
  const box = document.createElement('div');
  box.innerHTML = '<b>intruded</b>';
  return box.childElementCount > 0;
}

function otherHost(): Promise<boolean> {
  return fetch('http://127.0.0.2:9/').then(
    () => true,
    () => false,
  );
}

function blankCanvas(): void {
  const box = document.createElement('div');
  box.id = 'blank';
  box.append(document.createElement('canvas'));
  document.body.append(box);
}
