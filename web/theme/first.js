try { document.documentElement.dataset.theme = localStorage.getItem("theme") || ""; } catch { /* storage is off */ }
