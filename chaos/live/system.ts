import type { Clock } from '../../base/clock/index.ts';
import type { JournalEntry } from '../../runtime/index.ts';
import type { ProcessEntry } from '../invariants/invariant.ts';
import type { Program } from './program.ts';

/** Connection between a controller manager and the API server. */
export interface Connection {
  /** Breaks open connections and rejects new ones until `mend`. */
  cut(): void;
  mend(): void;
}

/** A controller manager under test. */
export interface Manager {
  readonly program: Program;
  readonly connection: Connection;
  /** Returns the journal entries after the one numbered `seq`. Rejects if the manager is unreachable. */
  journalSince(seq: number): Promise<readonly JournalEntry[]>;
}

/** Programs of a live run on one machine. */
export interface LiveSystem {
  readonly server: Program;
  readonly managers: readonly Manager[];
  /** The API server's etcd; undefined if the server does not use etcd. */
  readonly etcd?: Program;
  readonly redis?: Program;
  /** Deletes the data of Redis on disk. Redis must not be running. */
  readonly forgetRedis?: () => Promise<void>;
}

/** Journals of controller managers across restarts. */
export interface Journals {
  /** Records the start of a manager's process. */
  started(process: string): void;
  /** Records a wall clock offset that a manager has from now on. */
  clockSet(process: string, offsetMs: number): void;
  /** Reads new entries of one manager or of all. Returns true if all running managers responded. */
  poll(process?: string): Promise<boolean>;
  readonly entries: readonly ProcessEntry[];
}

interface Followed {
  seq: number;
  /** Clock offsets with the times from which they apply, the latest last. */
  readonly offsets: { readonly sinceMs: number; readonly offsetMs: number }[];
}

/** Tolerance in milliseconds when a wall time is matched to a clock offset. */
const NEAR_MS = 50;

export function createJournals(managers: readonly Manager[], clock: Pick<Clock, 'now'>): Journals {
  const entries: ProcessEntry[] = [];
  const followed = new Map<string, Followed>(
    managers.map(({ program }) => [program.name, { seq: 0, offsets: [{ sinceMs: -Infinity, offsetMs: 0 }] }]),
  );
  const of = (process: string): Followed => {
    const found = followed.get(process);
    if (found === undefined) throw new Error(`there is no manager ${process}`);
    return found;
  };
  const take = (process: string, entry: JournalEntry): void => {
    const { seq: _, atMs: wallMs, ...event } = entry;
    const { offsets } = of(process);
    const nowMs = clock.now();
    // The entry has already been written, so it precedes any later start of the process.
    const atMs = Math.min(nowMs, trueTime(offsets, wallMs, nowMs));
    entries.push({ process, atMs, wallMs, event });
  };
  const read = async ({ program, journalSince }: Manager): Promise<boolean> => {
    const life = of(program.name);
    const found = await journalSince(life.seq).catch(() => undefined);
    for (const entry of found ?? []) {
      // The manager may have restarted, which restarts the numbers, or another poll may have read these
      // entries.
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
