import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { unprovided } from '../../machines/reconcile/reconcile.ts';
import { activeLeaves, statesOf } from './chart.ts';
import { describeMachine } from './describe.ts';
import { pathOf } from './draw.ts';
import { edgesOf } from './edges.ts';
import { toMermaid } from './mermaid.ts';
import { createPictures } from './pictures.ts';
import { countsByState, edgeBetween, takenByEdge } from './resolve.ts';
import { toScxml } from './scxml.ts';
import { toSvg } from './svg.ts';

/**
 * A machine with every feature that a chart can contain: an effect, guards, nested states and parallel
 * states.
 */
const machine = setup({
  actors: { load: unprovided('load') },
  guards: { isOpen: () => true, ready: () => true },
  actions: { count: () => {} },
  delays: { limit: 1_000 },
}).createMachine({
  id: 'door',
  initial: 'loading',
  states: {
    loading: {
      description: 'asks <the server>',
      invoke: {
        src: 'load',
        onDone: [
          { guard: 'isOpen', target: 'ready' },
          { target: 'ready.one.waiting', actions: 'count' },
        ],
        onError: 'failed',
      },
      after: { limit: 'failed' },
    },
    ready: {
      type: 'parallel',
      on: { close: 'settled', 'try.again': { target: 'loading', actions: 'count' } },
      states: {
        one: { initial: 'idle', states: { idle: { on: { go: 'waiting' } }, waiting: {} } },
        two: { initial: 'off', states: { off: { always: { guard: 'ready', target: 'on' } }, on: {} } },
      },
    },
    settled: { type: 'final' },
    failed: { type: 'final' },
  },
});
const chart = describeMachine(machine);
const edges = edgesOf(chart);
const ids = new Set(edges.map(({ id }) => id));

describe('a picture of a machine', () => {
  it('has the states with their types and actors, and the initial state', () => {
    expect([...statesOf(chart.root)].map(({ path, type, initial }) => [path, type, initial])).toEqual([
      ['', 'compound', 'loading'],
      ['loading', 'atomic', undefined],
      ['ready', 'parallel', undefined],
      ['ready.one', 'compound', 'ready.one.idle'],
      ['ready.one.idle', 'atomic', undefined],
      ['ready.one.waiting', 'atomic', undefined],
      ['ready.two', 'compound', 'ready.two.off'],
      ['ready.two.off', 'atomic', undefined],
      ['ready.two.on', 'atomic', undefined],
      ['settled', 'final', undefined],
      ['failed', 'final', undefined],
    ]);
    expect(chart.root.states[0]).toMatchObject({ invokes: ['load'], description: 'asks <the server>' });
  });

  it('joins transitions between the same states to one line, labelled with events and guards', () => {
    expect(edges.map(({ id, label, failure }) => [id, label, failure])).toEqual([
      ['loading→ready', '[isOpen]', false],
      ['loading→ready.one.waiting', '', false],
      ['loading→failed', '', true],
      ['ready→settled', 'close', false],
      ['ready→loading', 'try.again', false],
      ['ready.one.idle→ready.one.waiting', 'go', false],
      ['ready.two.off→ready.two.on', '[ready]', false],
    ]);
    expect(edges[2]?.title).toBe('error(load), after limit');
    expect(edges[1]?.title).toBe('done(load) / count');
  });

  it('places each state inside its parent, and draws each line', async () => {
    const picture = await createPictures().of(machine);
    const boxes = new Map(picture.states.map(({ path, box }) => [path, box]));
    const [outer, inner] = [boxes.get('ready'), boxes.get('ready.one.idle')];
    if (outer === undefined || inner === undefined) throw new Error('states are missing');
    expect(inner.x).toBeGreaterThan(outer.x);
    expect(inner.y + inner.height).toBeLessThan(outer.y + outer.height);
    expect(picture.edges.every(({ line }) => line.length >= 2)).toBe(true);
    expect(picture.beginnings).toHaveLength(3);
  });

  it('is not laid out again while the machine is unchanged', async () => {
    const picture = await createPictures().of(machine);
    const kept = { ...picture, width: 1 };
    expect((await createPictures(() => ({ door: kept })).of(machine)).width).toBe(1);
    const other = { ...kept, chart: { ...chart, description: 'another' } };
    expect((await createPictures(() => ({ door: other })).of(machine)).width).toBe(picture.width);
  });
});

describe('a state in the journal', () => {
  it.each([
    ['loading', ['loading']],
    ['ready.one.idle,two.on', ['ready.one.idle', 'ready.two.on']],
    ['nowhere', []],
  ])('the state %s resolves to the leaves %j', (value, leaves) =>
    expect(activeLeaves(chart, value)).toEqual(leaves),
  );

  it('counts each key once in each state that contains its leaves', () =>
    expect(countsByState(chart, { 'ready.one.idle,two.on': 2, loading: 1 })).toEqual(
      new Map([
        ['ready.one.idle', 2],
        ['ready.one', 2],
        ['ready', 2],
        ['ready.two.on', 2],
        ['ready.two', 2],
        ['loading', 1],
      ]),
    ));

  it.each([
    ['loading', 'failed', 'loading→failed'],
    ['loading', 'ready.one.idle,two.off', 'loading→ready'],
    ['ready.one.idle,two.on', 'settled', 'ready→settled'],
    ['ready.one.idle,two.on', 'ready.one.waiting,two.on', 'ready.one.idle→ready.one.waiting'],
    ['settled', 'loading', undefined],
  ])('resolves a transition from %s to %s to the line %s', (from, to, id) =>
    expect(edgeBetween(chart, ids, from, to)).toBe(id),
  );

  it('adds the counts of transitions that belong to the same line', () =>
    expect(
      takenByEdge(chart, ids, [
        { from: 'ready.one.idle,two.on', to: 'settled', taken: 2 },
        { from: 'ready.one.waiting,two.on', to: 'settled', taken: 3 },
      ]),
    ).toEqual(new Map([['ready→settled', 5]])));
});

describe('an exported machine', () => {
  it('is a Mermaid diagram', () => {
    const text = toMermaid(chart);
    expect(text).toMatch(/^stateDiagram-v2\n {2}\[\*\] --> loading\n/);
    expect(text).toContain('  loading --> failed: error(load), after limit\n');
    expect(text).toContain('  settled --> [*]\n');
    expect(text.split('\n').filter((line) => line.trim() === '--')).toHaveLength(1);
  });

  it('is well-formed SCXML, with guards as conditions and effects as invocations', () => {
    const text = toScxml(chart);
    expect(text).toContain('<invoke id="load" type="load"/>');
    expect(text).toContain('<transition event="done.invoke.load" cond="isOpen" target="ready"/>');
    expect(text).toContain('<parallel id="ready">');
    const opened = text.match(/<[a-z]+[^>]*[^/?]>/g)?.length;
    expect(text.match(/<\/[a-z]+>/g)).toHaveLength(opened ?? 0);
  });

  it('is SVG with escaped strings', async () => {
    const svg = toSvg(await createPictures().of(machine));
    expect(svg).toContain('asks &lt;the server&gt;');
    expect(svg).toContain('prefers-color-scheme: dark');
  });

  it('shows transitions of the machine itself as leaving any state', async () => {
    const stopped = setup({}).createMachine({
      id: 'valve',
      initial: 'open',
      on: { stop: '.closed' },
      states: { open: {}, closed: {} },
    });
    const svg = toSvg(await createPictures().of(stopped));
    expect(svg).toContain('<title>any state</title>');
    expect(svg).not.toContain('>valve<');
  });

  it('has lines with rounded corners, at most by half the length of a segment', () =>
    expect(
      pathOf([
        { x: 0, y: 0 },
        { x: 0, y: 4 },
        { x: 20, y: 4 },
      ]),
    ).toBe('M0 0L0 2Q0 4 7 4L20 4'));
});
