import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createLoopbackServer } from '../../cli/program/loopback-server.ts';
import { underPaths } from '../../cli/dashboard/parts.ts';
import { knownMachines } from '../../cli/dashboard/known-machines.ts';
import {
  JOURNAL_PATH,
  PAGE_PATH,
  createBuiltPictures,
  createJournalApi,
  createPageFiles,
} from '../../dashboard/index.ts';
import { createJournal } from '../../runtime/index.ts';
import { environment } from '../real-time.ts';
import { service } from '../services.ts';
import { launchBrowser } from './browser.ts';

const suite = 'the dashboard under load';
const chromium = service('chromium', suite);
const KEYS = 10_000;
const TRANSITIONS_A_SECOND = 2_000;
const STATES = ['observing', 'deciding', 'recording', 'creating', 'waiting'];
const TURN_MS = 50;
/** Milliseconds per frame at thirty frames a second. */
const FRAME_MS = 1_000 / 30;

/** Serves a page over a journal in which many keys of one controller make transitions at a fixed rate. */
async function busyPage(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const { clock } = environment;
  const journal = createJournal({ clock });
  const machines = new Map(knownMachines().map((machine) => [machine.id, machine]));
  const controllers = [...machines.keys()].map((name) => ({ name, problems: [], watches: [], keyed: false }));
  const api = createJournalApi({
    journal,
    clock,
    pictures: createBuiltPictures(),
    machines: () => machines,
    facts: () => Promise.resolve({ controllers, informers: [], shared: false, replicas: [] }),
  });
  const groups = { meta: 'meta', authorization: 'authorization', certificates: 'certificates' };
  const page = createPageFiles(() => ({
    product: 'orch',
    groups,
    dialectAnnotation: 'dialect',
    instantiateAnnotation: 'instantiate',
    mode: 'alone',
    signsIn: false,
  }));
  const mounts = [
    { path: JOURNAL_PATH, handler: api.handler },
    { path: PAGE_PATH, open: true, handler: page },
  ];
  const server = createLoopbackServer('dashboard', 0, underPaths(mounts));
  let cycles = 0;
  const cycle = (): void => {
    const of = {
      controller: 'cronjob',
      key: `team-${cycles % 97}/report-${cycles % KEYS}`,
      reconcileId: `p-${cycles}`,
    };
    cycles++;
    journal.record({ ...of, kind: 'reconcile.started', retries: 0 });
    for (const state of STATES)
      journal.record({ ...of, kind: 'state', state, event: 'xstate.done.actor.observe' });
    journal.record({
      ...of,
      kind: 'reconcile.finished',
      outcome: 'requeue',
      ms: 3,
      reason: 'next scheduled time',
    });
  };
  while (cycles < KEYS) cycle();
  // Runs as many cycles as are due, so that a slow machine catches up.
  const startMs = clock.monotonic();
  const turn = setInterval(() => {
    const dueBy = KEYS + ((clock.monotonic() - startMs) / 1_000) * (TRANSITIONS_A_SECOND / STATES.length);
    while (cycles < dueBy) cycle();
  }, TURN_MS);
  await server.start();
  return {
    url: `${server.address()}${PAGE_PATH}/`,
    async stop() {
      clearInterval(turn);
      await api.stop();
      await server.stop();
    },
  };
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args?: { readonly name?: string };
  /** Processor time in microseconds. */
  readonly tdur?: number;
}

/**
 * Returns the processor time in milliseconds of each task of the page's main thread while `work` ran. Wall
 * time would include the time of other programs.
 */
async function tasksDuring(page: Page, work: () => Promise<void>): Promise<readonly number[]> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await session.send('Tracing.start', {
    traceConfig: { includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'] },
  });
  await work();
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  const thread = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  const mains = new Set(events.filter(({ args }) => args?.name === 'CrRendererMain').map(thread));
  return events
    .filter((event) => event.name === 'RunTask' && mains.has(thread(event)))
    .map(({ tdur = 0 }) => tdur / 1_000);
}

describe.skipIf(chromium.missing)(suite, () => {
  let browser: Browser;
  let served: Awaited<ReturnType<typeof busyPage>>;
  beforeAll(async () => {
    served = await busyPage();
    browser = await launchBrowser(chromium.path ?? '');
  });
  afterAll(async () => {
    await browser?.close();
    await served?.stop();
  });

  it.each([
    ['the overview', '', 'link', 'controller cronjob'],
    ['a controller', '#/controllers/cronjob', 'list', 'keys'],
  ] as const)(
    `has the time for thirty frames a second on %s, with ${KEYS} keys and ${TRANSITIONS_A_SECOND} transitions a second`,
    async (_, place, role, name) => {
      const page = await browser.newPage({ viewport: { width: 1360, height: 900 } });
      onTestFinished(() => page.close());
      await page.goto(`${served.url}${place}`);
      const shown = page.getByRole(role, { name, exact: true });
      await shown.waitFor();
      await shown.hover();
      await page.waitForTimeout(1_000);
      const SECONDS = 2;
      const tasks = await tasksDuring(page, async () => {
        for (let turn = 0; turn < SECONDS * 10; turn++) {
          await page.mouse.wheel(0, 120);
          await page.waitForTimeout(100);
        }
      });
      const busyMs = tasks.reduce((sum, each) => sum + each, 0);
      // A frame is late if its task took longer than a frame. Tasks may use at most 400 ms of each second.
      expect(Math.max(...tasks)).toBeLessThan(FRAME_MS);
      expect(busyMs / SECONDS).toBeLessThan(400);
      expect(busyMs).toBeGreaterThan(0);
    },
  );
});
