// The page without its words, to compare two languages; and its words, with what scripts and readers are told. Text
// that says that it is English is none of them.
() => {
    const same = ['id', 'class', 'role', 'type', 'for', 'name', 'scope', 'tabindex', 'aria-labelledby',
        'aria-describedby', 'aria-current', 'aria-sort', 'aria-hidden', 'aria-live'];
    const said = ['aria-label', 'alt', 'title', 'lang', 'placeholder'];
    const told = ['aria-label', 'placeholder', 'title', 'alt', 'data-label', 'data-says'];
    const bare = [], words = [];
    for (const one of document.documentElement.querySelectorAll('*')) {
        if (one.closest('datalist')) continue;
        const texts = [...one.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
        bare.push([
            one.tagName,
            ...same.map((name) => one.getAttribute(name) ?? ''),
            ...said.map((name) => one.getAttribute(name) ? 1 : 0),
            texts.length ? 1 : 0,
        ].join(' '));
        if (one.closest('script, style, pre, code, noscript, [lang=en]')) continue;
        words.push(...texts.map((node) => node.data.trim().replace(/\s+/g, ' ')));
        words.push(...told.map((name) => one.getAttribute(name)).filter(Boolean));
    }
    return {bare, words};
}
