import { type Markup, markup } from './markup.ts';

/** Renders a box in which a wide or long table scrolls. Keyboards reach it, because it has a tab stop. */
export const renderScroll = (label: string, table: Markup): Markup =>
  markup`<div class="scroll" tabindex="0" role="region" aria-label="${label}">${table}</div> `;
