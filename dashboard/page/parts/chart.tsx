import { type VNode, h } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Drawn, type Overlay, drawPicture } from '../../chart/draw.ts';
import type { Picture } from '../../chart/layout.ts';
import { type Area, moved, openingArea, whole, zoomed } from './chart-area.ts';

const nodeOf = (drawn: Drawn | string): VNode | string =>
  typeof drawn === 'string'
    ? drawn
    : h(
        drawn.tag,
        { key: drawn.attributes['data-edge'] ?? drawn.attributes['data-state'], ...drawn.attributes },
        drawn.children.map(nodeOf),
      );

/** The part of a chart that the user chose, which is a state with its path or an edge with its id. */
export interface Chosen {
  readonly kind: 'state' | 'edge';
  readonly id: string;
}

/** Effects of keys on the visible area. Arrow keys move it only with Shift. */
const BY_KEY: Readonly<Record<string, (area: Area) => Area>> = {
  'Shift ArrowLeft': (area) => moved(area, -0.08, 0),
  'Shift ArrowRight': (area) => moved(area, 0.08, 0),
  'Shift ArrowUp': (area) => moved(area, 0, -0.08),
  'Shift ArrowDown': (area) => moved(area, 0, 0.08),
  '+': (area) => zoomed(area, 0.8),
  '-': (area) => zoomed(area, 1.25),
};

/** Distance by which an arrow key moves the focus in the sequence of states and edges. */
const FOCUS_BY_KEY: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
};

/** Returns selectors of all parts that can be chosen, each state before the edges that leave it. */
function sequenceOf({ states, edges }: Picture): readonly string[] {
  const edgesFrom = (path: string): readonly string[] =>
    edges.flatMap(({ id, from }) => (from === path ? [`[data-edge="${CSS.escape(id)}"]`] : []));
  return states.flatMap(({ path }) => [`[data-state="${CSS.escape(path)}"]`, ...edgesFrom(path)]);
}

/** Focuses the next or previous part of the chart. The first part follows the chart itself. */
function moveFocus(svg: SVGSVGElement, picture: Picture, by: number): void {
  const parts = sequenceOf(picture)
    .map((selector) => svg.querySelector<SVGGElement>(selector))
    .filter((part) => part !== null);
  const now = parts.findIndex((part) => part === document.activeElement);
  const next = now < 0 ? (by > 0 ? 0 : parts.length - 1) : (now + by + parts.length) % parts.length;
  parts[next]?.focus({ preventScroll: true });
}

/**
 * True for text elements, and for shapes that only help the user to choose a part. A small picture contains
 * neither.
 */
const isDetail = ({ tag, attributes }: Drawn): boolean =>
  tag === 'text' || tag === 'title' || ['reach', 'rim', 'label-ground'].includes(String(attributes['class']));

const withoutDetails = (parts: Drawn['children']): readonly Drawn[] =>
  parts
    .filter((part): part is Drawn => typeof part !== 'string' && !isDetail(part))
    .map((part) => ({ ...part, children: withoutDetails(part.children) }));

/** A small picture without text. */
export function MiniChart({
  picture,
  overlay,
  label,
}: {
  picture: Picture;
  overlay: Overlay;
  label: string;
}) {
  const { x, y, width, height } = whole(picture);
  return (
    <svg class="chart mini" viewBox={`${x} ${y} ${width} ${height}`} role="img" aria-label={label}>
      {withoutDetails(drawPicture(picture, overlay)).map(nodeOf)}
    </svg>
  );
}

/**
 * State of the visible area, moved by dragging and zoomed by wheel. Until the user moves it, it follows the focused
 * state.
 */
function useArea(picture: Picture, focused: string | undefined) {
  const [area, show] = useState(whole(picture));
  const svg = useRef<SVGSVGElement>(null);
  const drag = useRef<{ x: number; y: number; area: Area; moved: boolean } | undefined>(undefined);
  const isMoved = useRef(false);
  const setArea: typeof show = (next) => {
    isMoved.current = true;
    show(next);
  };
  useLayoutEffect(() => void (isMoved.current = false), [picture]);
  useLayoutEffect(() => {
    const { clientWidth: width = 0, clientHeight: height = 0 } = svg.current ?? {};
    const focus = picture.states.find(({ path }) => path === focused)?.box;
    if (!isMoved.current) show(openingArea(picture, { width, height }, focus));
  }, [picture, focused]);
  useEffect(() => (svg.current === null ? undefined : zoomByWheel(svg.current, setArea)), []);
  const scale = (): number => area.width / (svg.current?.clientWidth || 1);
  return {
    area,
    setArea,
    svg,
    showAll: () => setArea(whole(picture)),
    /** True after a drag, because the click at its end must not choose a state or edge. */
    wasMoved: () => drag.current?.moved === true,
    onPointerDown: (event: PointerEvent): void => {
      drag.current = { x: event.clientX, y: event.clientY, area, moved: false };
    },
    onPointerMove: (event: PointerEvent): void => {
      const from = drag.current;
      if (from === undefined || event.buttons === 0) return;
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      if (Math.hypot(dx, dy) < 4 && !from.moved) return;
      from.moved = true;
      setArea({ ...from.area, x: from.area.x - dx * scale(), y: from.area.y - dy * scale() });
    },
  };
}

function zoomByWheel(node: SVGSVGElement, setArea: (change: (area: Area) => Area) => void): () => void {
  // Not passive, so that the page does not scroll too. Only with a modifier, so that a plain wheel scrolls
  // the page.
  const onWheel = (event: WheelEvent): void => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = node.getBoundingClientRect();
    const at = { x: (event.clientX - box.x) / box.width, y: (event.clientY - box.y) / box.height };
    setArea((now) => zoomed(now, event.deltaY > 0 ? 1.12 : 1 / 1.12, at));
  };
  node.addEventListener('wheel', onWheel, { passive: false });
  return () => node.removeEventListener('wheel', onWheel);
}

/** Returns the state or edge that contains an element. */
function chosenAt(target: EventTarget | null): Chosen | undefined {
  const part = target instanceof Element ? target.closest('[data-state],[data-edge]') : null;
  const [state, edge] = [part?.getAttribute('data-state'), part?.getAttribute('data-edge')];
  if (typeof state === 'string') return { kind: 'state', id: state };
  return typeof edge === 'string' ? { kind: 'edge', id: edge } : undefined;
}

/**
 * A statechart that the user can move and zoom. The user can choose states and edges with pointer or
 * keyboard.
 */
export function Chart(props: {
  picture: Picture;
  overlay: Overlay;
  label: string;
  /** Path of the state around which a chart opens that is larger than its frame. */
  focused?: string | undefined;
  onChoose: (chosen: Chosen) => void;
}) {
  const { picture, overlay, label, focused, onChoose } = props;
  const { area, setArea, svg, showAll, wasMoved, onPointerDown, onPointerMove } = useArea(picture, focused);
  const drawn = useMemo(
    () => drawPicture(picture, { ...overlay, interactive: true }).map(nodeOf),
    [picture, overlay],
  );
  const onClick = ({ target }: MouseEvent): void => {
    const chosen = wasMoved() ? undefined : chosenAt(target);
    if (chosen !== undefined) onChoose(chosen);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const change = BY_KEY[event.shiftKey && key.startsWith('Arrow') ? `Shift ${key}` : key];
    const focusBy = event.shiftKey ? undefined : FOCUS_BY_KEY[key];
    const chosen = key === 'Enter' || key === ' ' ? chosenAt(target) : undefined;
    if (change !== undefined) setArea(change(area));
    else if (focusBy !== undefined && svg.current !== null) moveFocus(svg.current, picture, focusBy);
    else if (key === '0') showAll();
    else if (chosen !== undefined) onChoose(chosen);
    else return;
    event.preventDefault();
  };
  const height = Math.min(860, Math.max(420, whole(picture).height));
  return (
    <>
      <Tools onZoom={(by) => setArea(zoomed(area, by))} onShowAll={showAll} />
      <div class="chart-frame" style={{ height: `${height}px` }}>
        <svg
          ref={svg}
          class="chart"
          viewBox={`${area.x} ${area.y} ${area.width} ${area.height}`}
          role="group"
          aria-label={label}
          tabindex={0}
          onClick={onClick}
          onKeyDown={onKeyDown}
          onPointerDown={onPointerDown}
          onPointerMove={onPointerMove}
        >
          {drawn}
        </svg>
      </div>
    </>
  );
}

function Tools({ onZoom, onShowAll }: { onZoom: (by: number) => void; onShowAll: () => void }) {
  return (
    <div class="chart-tools" role="toolbar" aria-label="zoom">
      <button type="button" aria-label="zoom in" onClick={() => onZoom(0.8)}>
        +
      </button>
      <button type="button" aria-label="zoom out" onClick={() => onZoom(1.25)}>
        −
      </button>
      <button type="button" aria-label="show the whole chart" onClick={onShowAll}>
        ⤢
      </button>
    </div>
  );
}
