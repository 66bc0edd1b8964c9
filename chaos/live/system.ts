import type { Clock } from '../../base/clock/clock.ts';
import type { JournalEntry } from '../../runtime/index.ts';
import type { ProcessEntry } from '../invariants/invariant.ts';
import type { Program } from './program.ts';

/** The connection between a controller manager and the API server. */
export interface Connection {
  /** Nothing passes any more, and what is open breaks. */
  cut(): void;
  mend(): void;
}

/** A controller manager under test. */
export interface Manager {
  readonly program: Program;
  readonly connection: Connection;
  /** What it has noted since an entry. Rejects while it cannot be asked. */
  journalSince(seq: number): Promise<readonly JournalEntry[]>;
}

/** The programs of a live run, on one machine. */
export interface LiveSystem {
  readonly server: Program;
  readonly managers: readonly Manager[];
  /** Where the API server keeps its objects in one. */
  readonly etcd?: Program;
  readonly redis?: Program;
  /** Forgets what Redis has on its disk; it is not running then. */
  readonly forgetRedis?: () => Promise<void>;
}

/** Follows the journals of controller managers, across their lives. */
export interface Journals {
  /** A life of a manager begins. */
  started(process: string): void;
  /** Its wall clock is that far off from now on. */
  clockSet(process: string, offsetMs: number): void;
  /** Reads what is new, of one manager or of all; whether all of them that run have answered. */
  poll(process?: string): Promise<boolean>;
  readonly entries: readonly ProcessEntry[];
}

interface Followed {
  seq: number;
  /** Since when the clock is how far off, the latest last. */
  readonly offsets: { readonly sinceMs: number; readonly offsetMs: number }[];
}

/** A clock that was set tells two times for one moment; they are told apart to this, milliseconds. */
const NEAR_MS = 50;

export function createJournals(managers: readonly Manager[], clock: Pick<Clock, 'now'>): Journals {
  const entries: ProcessEntry[] = [];
  const followed = new Map<string, Followed>(
    managers.map(({ program }) => [program.name, { seq: 0, offsets: [{ sinceMs: -Infinity, offsetMs: 0 }] }]),
  );
  const of = (process: string): Followed => {
    const found = followed.get(process);
    if (found === undefined) throw new Error(`no manager ${process}`);
    return found;
  };
  const take = (process: string, entry: JournalEntry): void => {
    const { seq: _, atMs: wallMs, ...event } = entry;
    const { offsets } = of(process);
    const nowMs = clock.now();
    // What has been read has happened: its time is before that of a life that begins after it.
    const atMs = Math.min(nowMs, trueTime(offsets, wallMs, nowMs));
    entries.push({ process, atMs, wallMs, event });
  };
  const read = async ({ program, journalSince }: Manager): Promise<boolean> => {
    const life = of(program.name);
    const found = await journalSince(life.seq).catch(() => undefined);
    for (const entry of found ?? []) {
      // Another life may have begun meanwhile, whose entries count anew; or somebody else has read these.
      if (of(program.name) !== life || entry.seq <= life.seq) continue;
      life.seq = entry.seq;
      take(program.name, entry);
    }
    return found !== undefined;
  };
  return {
    entries,
    started(process) {
      followed.set(process, { ...of(process), seq: 0 });
      const nowMs = clock.now();
      entries.push({ process, atMs: nowMs, wallMs: nowMs, event: 'started' });
    },
    clockSet: (process, offsetMs) => void of(process).offsets.push({ sinceMs: clock.now(), offsetMs }),
    async poll(process) {
      const asked = managers.filter(({ program: { name } }) => process === undefined || process === name);
      const answered = await Promise.all(asked.filter(({ program }) => program.running).map(read));
      return answered.every(Boolean);
    },
  };
}

function trueTime(offsets: Followed['offsets'], wallMs: number, nowMs: number): number {
  const fitting = offsets.findLast(({ sinceMs, offsetMs }) => {
    const atMs = wallMs - offsetMs;
    return atMs >= sinceMs - NEAR_MS && atMs <= nowMs + NEAR_MS;
  });
  return wallMs - (fitting?.offsetMs ?? 0);
}
