import { type VNode, h } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Drawn, type Overlay, drawPicture } from '../../chart/draw.ts';
import type { Picture } from '../../chart/layout.ts';

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

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const MARGIN = 14;
const whole = ({ width, height }: Picture): Area => ({
  x: -MARGIN,
  y: -MARGIN,
  width: width + 2 * MARGIN,
  height: height + 2 * MARGIN,
});

const zoomed = (area: Area, by: number, at = { x: 0.5, y: 0.5 }): Area => ({
  x: area.x + area.width * at.x * (1 - by),
  y: area.y + area.height * at.y * (1 - by),
  width: area.width * by,
  height: area.height * by,
});

const moved = (area: Area, x: number, y: number): Area => ({
  ...area,
  x: area.x + area.width * x,
  y: area.y + area.height * y,
});

/** Effects of keys on the visible area. */
const BY_KEY: Readonly<Record<string, (area: Area) => Area>> = {
  ArrowLeft: (area) => moved(area, -0.08, 0),
  ArrowRight: (area) => moved(area, 0.08, 0),
  ArrowUp: (area) => moved(area, 0, -0.08),
  ArrowDown: (area) => moved(area, 0, 0.08),
  '+': (area) => zoomed(area, 0.8),
  '-': (area) => zoomed(area, 1.25),
};

/** True for texts and for shapes that only help the user to choose. A small picture has neither. */
const isDetail = ({ tag, attributes }: Drawn): boolean =>
  tag === 'text' || tag === 'title' || attributes['class'] === 'reach' || attributes['class'] === 'rim';

const withoutDetails = (parts: Drawn['children']): readonly Drawn[] =>
  parts
    .filter((part): part is Drawn => typeof part !== 'string' && !isDetail(part))
    .map((part) => ({ ...part, children: withoutDetails(part.children) }));

/** A small picture without texts. */
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

/** State of the visible area, moved by dragging and zoomed by wheel. */
function useArea(picture: Picture) {
  const [area, setArea] = useState(whole(picture));
  const svg = useRef<SVGSVGElement>(null);
  const drag = useRef<{ x: number; y: number; area: Area; moved: boolean } | undefined>(undefined);
  useEffect(() => setArea(whole(picture)), [picture]);
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
  onChoose: (chosen: Chosen) => void;
}) {
  const { picture, overlay, label, onChoose } = props;
  const { area, setArea, svg, showAll, wasMoved, onPointerDown, onPointerMove } = useArea(picture);
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
    const change = event.ctrlKey || event.metaKey || event.altKey ? undefined : BY_KEY[key];
    const chosen = key === 'Enter' || key === ' ' ? chosenAt(target) : undefined;
    if (change !== undefined) setArea(change(area));
    else if (key === '0') showAll();
    else if (chosen !== undefined) onChoose(chosen);
    else return;
    event.preventDefault();
  };
  const height = Math.min(860, Math.max(420, picture.height + 2 * MARGIN));
  return (
    <div class="chart-frame" style={{ height: `${height}px` }}>
      <svg
        ref={svg}
        class="chart"
        viewBox={`${area.x} ${area.y} ${area.width} ${area.height}`}
        role="group"
        aria-label={label}
        onClick={onClick}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
      >
        {drawn}
      </svg>
      <div class="chart-tools" role="toolbar" aria-label="zoom">
        <button type="button" aria-label="zoom in" onClick={() => setArea(zoomed(area, 0.8))}>
          +
        </button>
        <button type="button" aria-label="zoom out" onClick={() => setArea(zoomed(area, 1.25))}>
          −
        </button>
        <button type="button" aria-label="show the whole chart" onClick={showAll}>
          ⤢
        </button>
      </div>
    </div>
  );
}
