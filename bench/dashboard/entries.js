// Runs in the page: collects the browser's own performance entries until takeEntries() is called.
(() => {
  let entries = { shift: 0, interaction: 0 };
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) entries.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries())
      if (interactionId > 0) entries.interaction = Math.max(entries.interaction, duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });

  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  /** The entries since the last call, with those of the next two frames. */
  globalThis.takeEntries = async () => {
    await frame();
    await frame();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const taken = entries;
    entries = { shift: 0, interaction: 0 };
    return taken;
  };
})();
