import { ACCOUNT } from '../limits.ts';
import { Problem } from '../problem.ts';

/** Keeps passwords so that a thief of the database has to try each guess slowly (settled.md section 8). */
export interface PasswordHasher {
  /** What is stored in place of the password; another text each time. */
  hash(password: string): Promise<string>;

  /** Whether the text was made from this password. Given null (nobody of that name) it takes as long, and is false. */
  verify(password: string, hash: string | null): Promise<boolean>;

  /** Whether guessers try it first, in any case of its letters. */
  isCommon(password: string): boolean;
}

/**
 * The policy of settled.md section 8: 12 to 128 characters, counted as Unicode code points, and not a common password.
 * Length and not composition is what counts, so nothing else is asked for.
 * @throws Problem WEAK_PASSWORD, its details naming `password` and never holding it
 */
export function refuseWeakPassword(password: string, isCommon: (password: string) => boolean): void {
  const length = [...password].length;
  if (length < ACCOUNT.passwordMin) throw weak(`It has ${length} characters, and at least 12 are needed.`);
  if (length > ACCOUNT.passwordMax) throw weak(`It has ${length} characters, and at most 128 are taken.`);
  if (isCommon(password)) throw weak('It is one of the passwords that are guessed first.');
}

function weak(reason: string): Problem {
  return new Problem('WEAK_PASSWORD', 'The password is too weak.', {
    details: [{ path: 'password', message: reason }],
  });
}
