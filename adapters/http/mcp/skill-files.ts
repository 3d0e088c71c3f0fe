import { strFromU8, unzipSync } from 'fflate';

export interface SkillFile {
  /** Inside the folder of the skill. */
  readonly path: string;
  readonly text: string;
}

/** The files of a skill's archive; the protocol carries texts. The SKILL.md comes first, as in the archive. */
export function skillFiles(archive: Uint8Array): SkillFile[] {
  return Object.entries(unzipSync(archive)).map(([name, bytes]) => ({
    path: name.slice(name.indexOf('/') + 1),
    text: strFromU8(bytes),
  }));
}
